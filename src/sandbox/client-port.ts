/** The header in which our program in the sandbox tells the proxy the port of its client. */
export const CLIENT_PORT_HEADER = 'x-signalbox-client-port'
