//! Shakes hands where TLS is spoken, and tells by the first bytes of a connection which protocol it speaks.
//!
//! Without TLS there is nothing else to tell by: a client that speaks HTTP/2 just does.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use crate::access::{CertificateNames, InboundTls};

/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A protocol that a client may speak.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Protocol {
    One,
    Two,
}

/// A connection, with TLS or without.
type InboundStream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// A connection whose first bytes have been read, and are read again.
pub(crate) struct AcceptedStream {
    pub(crate) protocol: Protocol,
    /// The names in the certificate that the client has shown, if it has.
    pub(crate) names: Option<CertificateNames>,
    begun: Bytes,
    stream: InboundStream,
}

/// Shakes hands, if TLS is spoken, and reads until it is known which protocol a connection speaks.
pub(crate) async fn accept(tls: Option<&InboundTls>, stream: TcpStream) -> io::Result<AcceptedStream> {
    let (mut stream, names) = match tls {
        None => (Either::Left(stream), None),
        Some(tls) => {
            let (stream, names) = tls.accept(stream).await?;
            (Either::Right(Box::new(stream)), names)
        }
    };
    let (mut begun, mut length) = ([0; PREFACE.len()], 0);
    while length < PREFACE.len() && PREFACE.starts_with(&begun[..length]) {
        match stream.read(&mut begun[length..]).await? {
            0 => break,
            read => length += read,
        }
    }
    let protocol = if begun == *PREFACE { Protocol::Two } else { Protocol::One };
    Ok(AcceptedStream { protocol, names, begun: Bytes::copy_from_slice(&begun[..length]), stream })
}

impl AsyncRead for AcceptedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.begun.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, into);
        }
        let length = self.begun.len().min(into.remaining());
        into.put_slice(&self.begun[..length]);
        self.begun.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for AcceptedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, from)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, from)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
