import { spawn } from 'node:child_process'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { EXIT } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { findExecutable } from '../../process/index.js'
import type { LoginLink } from '../../server/index.js'
import { qrLines } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

/** Opens the dashboard in the browser of this machine, or prints the link where there is none. */
export async function run(context: CommandContext, { options }: InputOf<'open'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const { address, url } = await client.post<LoginLink>('/auth/links', {})
  if (options.json) {
    context.json({ address, link: url })
    return EXIT.ok
  }
  if (options.qr) {
    printCode(context, url)
    return EXIT.ok
  }
  const isOpen = !options.print && (await openInBrowser(context, url))
  context.out(isOpen ? `opened ${address}` : url)
  if (!isOpen) context.note('The link works once, for 5 minutes.')
  return EXIT.ok
}

/** A phone scans the code: the link in it signs it in, once. */
function printCode(context: CommandContext, url: string): void {
  for (const line of qrLines(url)) context.out(line)
  context.out(url)
  const { hostname, port } = new URL(url)
  if (isLoopback(hostname)) {
    const { bind } = openHome(context).loaded.config.server
    for (const line of isLoopback(bind) ? waysToPhone(port) : namesToSet(bind, port)) context.note(line)
  }
  context.note('The link works once, for 5 minutes.')
}

/** Only this machine can open the address: what works for a phone, the simplest first. */
function waysToPhone(port: string): string[] {
  return [
    'Only this machine can open this address (server.bind is loopback). For a phone:',
    [`signalbox telegram setup`, 'your own bot; no open port, no HTTPS'],
    [`ssh -L ${port}:127.0.0.1:${port} you@here`, 'in an SSH app; then scan the code'],
    [`tailscale serve --bg ${port}`, 'HTTPS (docs/jobs/remote-access.md)'],
  ].map(line => (typeof line === 'string' ? line : `  ${line[0]!.padEnd(40)} ${line[1]}`))
}

/** The server can be reached, and does not know under which name: it refuses all others. */
function namesToSet(bind: string, port: string): string[] {
  const wildcard = bind === '0.0.0.0' || bind === '::'
  const known = Object.values(networkInterfaces())
    .flatMap(found => found ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')
  const address = wildcard ? (known?.address ?? 'this-machine') : isIPv6(bind) ? `[${bind}]` : bind
  return [
    `Only this machine can open this address. The server listens on ${bind}, but needs the name under which a phone reaches it:`,
    `  signalbox config set server.hosts '["${address}:${port}"]'`,
    '  signalbox serve --stop        the next command starts it with the new setting',
  ]
}

function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?)$/.test(host)
}

/** The browser may run for days: only its start is awaited. */
async function openInBrowser({ env, cwd }: CommandContext, url: string): Promise<boolean> {
  const isMac = process.platform === 'darwin'
  // Without a display, xdg-open would start a browser in this terminal.
  if (!isMac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false
  const program = findExecutable(isMac ? 'open' : 'xdg-open', { path: env.PATH, cwd })
  if (program === null) return false
  const opener = spawn(program, [url], { env, stdio: 'ignore', detached: true })
  opener.unref()
  return new Promise(resolve => {
    opener.on('spawn', () => resolve(true))
    opener.on('error', () => resolve(false))
  })
}
