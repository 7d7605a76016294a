//! The native part of the Python package: the library's calls, without the interpreter's lock.

use std::sync::{LazyLock, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tersely_embed::{CallReply, EmbedError, Exchange, Library, NextStep};

static LIBRARY: LazyLock<Library> = LazyLock::new(Library::default);

/// An account as JSON, and the bytes that it is about.
type PyReply<'py> = (String, Bound<'py, PyBytes>);

/// Runs an operation of the library: an account as JSON, and the result.
#[pyfunction]
fn call<'py>(py: Python<'py>, operation: &str, options: &str, payload: &[u8]) -> PyResult<PyReply<'py>> {
    let reply = py.detach(|| LIBRARY.call(operation, options, payload));
    reply.map(|reply| pair(py, reply)).map_err(|error| raise(&error))
}

/// Compresses a request that is about to be sent. The exchange is `None` if the response needs no attention.
#[pyfunction]
fn open<'py>(py: Python<'py>, options: &str, body: &[u8]) -> PyResult<(PyReply<'py>, Option<PyExchange>)> {
    let opened = py.detach(|| LIBRARY.open(options, body));
    let (reply, exchange) = opened.map_err(|error| raise(&error))?;
    Ok((pair(py, reply), exchange.map(|exchange| PyExchange(Mutex::new(exchange)))))
}

/// A request whose response is watched.
#[pyclass(frozen, name = "Exchange")]
struct PyExchange(Mutex<Exchange>);

impl PyExchange {
    fn work<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Exchange) -> T + Send) -> T {
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl PyExchange {
    /// Says how the response is framed, by its content type.
    fn begin(&self, py: Python<'_>, content_type: &str) {
        self.work(py, |exchange| exchange.begin(content_type));
    }

    /// Takes bytes of the response, and returns those that the client gets now.
    fn see<'py>(&self, py: Python<'py>, data: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.work(py, |exchange| exchange.see(data)))
    }

    /// The last bytes for the client, and the body to send next, if the model asked for omitted text.
    fn end<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>) {
        let NextStep { out, send } = self.work(py, Exchange::end);
        (PyBytes::new(py, &out), send.map(|body| PyBytes::new(py, &body)))
    }

    /// The last bytes for the client when the next request failed.
    fn fail<'py>(&self, py: Python<'py>, status: u16, message: &str) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.work(py, |exchange| exchange.fail(status, message)))
    }
}

fn pair(py: Python<'_>, reply: CallReply) -> PyReply<'_> {
    (reply.about, PyBytes::new(py, &reply.payload))
}

/// A `ValueError` with the kind of the error before its message.
fn raise(error: &EmbedError) -> PyErr {
    PyValueError::new_err((error.kind(), error.to_string()))
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{PyExchange, call, open};
}
