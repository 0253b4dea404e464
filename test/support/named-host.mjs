import dns from 'node:dns'

/*
 * Loaded with `node --import` before a program for which the names *.test are this machine: a
 * certificate can then be for one of them, or for another one.
 */
const lookup = dns.lookup
dns.lookup = (name, ...rest) => lookup(name.endsWith('.test') ? '127.0.0.1' : name, ...rest)
