import { Socket } from 'node:net'
import { constants } from 'node:os'
import { systemClock } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { Host } from '../../host/index.js'
import { Keeper, type KeptExit } from '../../keeper/index.js'
import type { CommandContext } from '../context.js'
import { reportError } from '../runs/with-store.js'
import { version } from '../version.js'
import { TextPrinter } from './text-printer.js'

export interface ForegroundRequest {
  agent: string | null
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  size: { cols: number; rows: number } | null
  label: string | null
  sandbox?: { use: string; network?: 'off' | 'filtered' | 'on' }
}

/** Runs a program as a session of this process. @returns the program's exit code. */
export async function runInForeground(
  context: CommandContext,
  request: ForegroundRequest,
  options: { isRaw: boolean },
): Promise<number> {
  const home = openHome(context)
  const keeper = new Keeper(systemClock)
  const host = await Host.open({
    settings: home.settings,
    clock: systemClock,
    keeper,
    owner: 'foreground',
    version: version(),
    onError: error => reportError(context, error),
  })
  const passesBytes = options.isRaw || context.isOutputTty
  const printer = passesBytes ? null : new TextPrinter(request.size ?? home.settings.size, text => context.write(text))
  let restoreInput: () => void = () => undefined
  const signals = passSignals(keeper)
  try {
    const exit = await new Promise<KeptExit>((resolve, reject) => {
      host
        .startSession(
          { ...request, terminal: request.env, person: 'local', resume: null },
          {
            output: bytes => (printer ? printer.push(bytes) : context.write(bytes)),
            resized: () => undefined,
            exited: resolve,
          },
        )
        .then(record => {
          signals.to(record.id)
          restoreInput = forwardInput(record.id, keeper)
        }, reject)
    })
    printer?.finish()
    return exitCode(exit)
  } finally {
    restoreInput()
    signals.stop()
    await host.close()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Forwards signals to the program; those that arrive while it starts are delivered once it runs.
 */
function passSignals(keeper: Keeper): { to(session: string): void; stop(): void } {
  let session: string | null = null
  const early: NodeJS.Signals[] = []
  const pass = (id: string, signal: NodeJS.Signals) => void keeper.signal(id, signal).catch(() => undefined)
  const onSignal = (signal: NodeJS.Signals) => (session === null ? void early.push(signal) : pass(session, signal))
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return {
    to: id => {
      session = id
      for (const signal of early) pass(id, signal)
    },
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
    },
  }
}

const NEWLINE = 0x0a
const CTRL_D = 0x04

/** Forwards the person's keys, or the bytes of a pipe followed by end-of-file. */
function forwardInput(session: string, keeper: Keeper): () => void {
  const { stdin, stdout } = process
  const write = (bytes: Uint8Array) => void keeper.write(session, bytes).catch(() => undefined)
  let isLineOpen = false
  const onData = (chunk: Buffer) => {
    isLineOpen = chunk.at(-1) !== NEWLINE
    write(chunk)
  }
  // In the middle of a line the first ctrl-D only flushes the line; the next one is end-of-file.
  const onEnd = () => write(isLineOpen ? Uint8Array.of(CTRL_D, CTRL_D) : Uint8Array.of(CTRL_D))
  const onResize = () => void keeper.resize(session, stdout.columns, stdout.rows).catch(() => undefined)
  if (stdin.isTTY) stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.on('end', onEnd)
  if (stdout.isTTY) stdout.on('resize', onResize)
  return () => {
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.off('data', onData)
    stdin.off('end', onEnd)
    stdout.off('resize', onResize)
    stdin.pause()
    if (stdin instanceof Socket) stdin.unref()
  }
}

function exitCode(exit: KeptExit): number {
  if (exit.signal) return 128 + (constants.signals[exit.signal as NodeJS.Signals] ?? 0)
  return exit.code ?? EXIT.failed
}
