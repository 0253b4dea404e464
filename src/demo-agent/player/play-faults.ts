import { spawn } from 'node:child_process'
import { drawMenu } from '../menu/draw-menu.js'
import { openMenu } from '../menu/menu-state.js'
import { sleepExactly, sleepForever } from '../pace.js'
import type { StepTypes } from '../scenario/types.js'
import { lineText } from '../text/style.js'
import { speak } from './play-speech.js'
import type { TurnContext } from './turn-context.js'

/** Ends as the step says, at once and without cleaning up: the terminal is left as it is. */
export async function playCrash(step: StepTypes['crash']): Promise<never> {
  if (step.signal) {
    process.kill(process.pid, step.signal as NodeJS.Signals)
    await sleepExactly(5000)
  }
  process.exit(step.exit ?? 1)
}

export async function playHang(step: StepTypes['hang'], context: TurnContext): Promise<void> {
  if (step.ms !== undefined) return sleepExactly(step.ms, context.signal)
  await sleepForever()
}

/** The work is done and in the transcript, but its end is never reported or shown. */
export async function playZombie(step: StepTypes['zombie'], context: TurnContext): Promise<void> {
  context.transcript.append({
    type: 'turn_end',
    outcome: 'done',
    text: context.lastText,
    durationMs: Date.now() - context.startedAt,
  })
  if (step.end === 'hang') await sleepForever()
  await playCrash(step.end === 'signal' ? { signal: step.signal ?? 'SIGKILL' } : { exit: step.exit ?? 1 })
}

export async function playHuge(step: StepTypes['huge'], context: TurnContext): Promise<void> {
  const row = (n: number) =>
    `${String(n).padStart(7, '0')} the quick signal changes aspect before the express arrives at platform ${n % 12}`
  const count = step.lines ?? Math.ceil((step.bytes ?? 100_000) / (row(0).length + 1))
  const call =
    step.as === 'tool'
      ? { id: context.newCallId(), name: 'Shell', kind: 'shell' as const, summary: `seq ${count}`, input: {}, show: 8 }
      : null
  if (call) context.surface.toolStarted(call)
  for (let from = 0; from < count; from += 500) {
    const lines = Array.from({ length: Math.min(500, count - from) }, (_, index) => row(from + index))
    if (call) context.surface.toolOutput(call, `${lines.join('\n')}\n`)
    else context.surface.sayLines(lines)
    await sleepExactly(0, context.signal)
  }
  if (call)
    context.surface.toolEnded(call, {
      isOk: true,
      output: Array.from({ length: count }, (_, n) => row(n)).join('\n'),
      exitCode: 0,
    })
}

/** A complete menu, drawn like a live one, but as text of an answer or a tool's output. */
export async function playQuote(step: StepTypes['quote'], context: TurnContext): Promise<void> {
  const rows = drawMenu(openMenu(step.menu), 72, 40).lines.map(line => lineText(line).trimEnd())
  if (step.as === 'tool') {
    const call = {
      id: context.newCallId(),
      name: 'Shell',
      kind: 'shell' as const,
      summary: 'cat menu.txt',
      input: { command: 'cat menu.txt' },
      show: rows.length,
    }
    context.surface.toolStarted(call)
    context.surface.toolEnded(call, { isOk: true, output: rows.join('\n'), exitCode: 0 })
    return
  }
  if (step.as === 'say') context.surface.sayLines(rows)
  else await speak(['```text', ...rows, '```'].join('\n'), { chunk: 40, delayMs: 10 }, context)
}

/** Children that outlive their parent: in our process group, or each in its own session. */
export function playFork(step: StepTypes['fork']): void {
  for (let n = 0; n < step.count; n++) {
    const child = spawn('sleep', [String((step.ms ?? 600_000) / 1000)], {
      detached: step.detached ?? true,
      stdio: 'ignore',
    })
    child.unref()
  }
}

export function playRaw(step: StepTypes['raw'], context: TurnContext): void {
  if (step.text !== undefined) context.surface.raw(Buffer.from(step.text, 'utf8'))
  if (step.base64 !== undefined) context.surface.raw(Buffer.from(step.base64, 'base64'))
}

export const termination = { isIgnored: false }
