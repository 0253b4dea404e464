import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { delay, systemClock } from '../clock/index.js'

/** Long enough to read everything that was typed before the question. */
const DRAIN_MS = 40

/** Asks for one line at a terminal; what was typed before is discarded. */
export async function askLine(question: string): Promise<string> {
  await discardTypedAhead()
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await reader.question(question)
  } finally {
    reader.close()
  }
}

/** A yes-or-no question; no is the default. */
export async function askYes(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `)).trim())
}

/** Asks for a secret: what is typed is not shown. */
export async function askHidden(question: string): Promise<string> {
  await discardTypedAhead()
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  process.stdout.write(question)
  const reader = createInterface({ input: process.stdin, output: muted, terminal: true })
  try {
    return await reader.question('')
  } finally {
    reader.close()
    process.stdout.write('\n')
  }
}

async function discardTypedAhead(): Promise<void> {
  const { stdin } = process
  if (!stdin.isTTY) return
  const discard = () => undefined
  stdin.setRawMode(true)
  stdin.on('data', discard)
  await delay(systemClock, DRAIN_MS)
  stdin.off('data', discard)
  stdin.pause()
  stdin.setRawMode(false)
}
