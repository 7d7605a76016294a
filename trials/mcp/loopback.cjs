// Makes a server that names no host listen on 127.0.0.1 only; load it with `node --require`.

const net = require('node:net');

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  const named = typeof rest[0] === 'string';
  return /^\d+$/.test(String(port)) && !named ? listen.call(this, port, '127.0.0.1', ...rest) : listen.call(this, port, ...rest);
};
