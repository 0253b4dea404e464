import { createInterface } from 'node:readline/promises'
import { delay, systemClock } from '../clock/index.js'

/** Long enough that everything typed before the question has been read. */
const DRAIN_MS = 40

/** Asks the person one line. Only where both ends are a terminal: the caller has checked. What was typed before the question is no answer to it. */
export async function askLine(question: string): Promise<string> {
  await dropTypedAhead()
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await reader.question(question)
  } finally {
    reader.close()
  }
}

async function dropTypedAhead(): Promise<void> {
  const { stdin } = process
  if (!stdin.isTTY) return
  const drop = () => undefined
  stdin.setRawMode(true)
  stdin.on('data', drop)
  await delay(systemClock, DRAIN_MS)
  stdin.off('data', drop)
  stdin.pause()
  stdin.setRawMode(false)
}
