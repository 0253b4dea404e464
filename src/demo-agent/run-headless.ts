import { EXIT, SignalboxError } from '../errors/index.js'
import type { Options } from './args.js'
import { HeadlessSurface } from './headless/headless-surface.js'
import { improviser } from './headless/improvise.js'
import { LineInput, readAll } from './headless/line-input.js'
import { RecordWriter } from './headless/record-writer.js'
import { openSession, VERSION } from './open-session.js'
import { Pace } from './pace.js'
import { Permissions } from './player/permissions.js'
import { termination } from './player/play-faults.js'
import { progressOf, Session } from './player/session.js'
import type { TurnEnd } from './player/surface.js'

/** One prompt without a terminal: records on stdout, and an exit code for the outcome. */
export async function runHeadless(options: Options): Promise<void> {
  const readsLines = options.input === 'json' || options.permissionMode === 'ask'
  const input = readsLines ? new LineInput(process.stdin) : null
  const cwd = process.cwd()
  const { scenario, transcript, records, hooks, home } = openSession(options, 'auto', cwd)
  const prompt = options.prompt ?? (await readPrompt(input))
  const out = new RecordWriter(options.isIndented)
  const surface = new HeadlessSurface(out, input)
  const session = new Session({
    scenario,
    surface,
    transcript,
    hooks,
    pace: new Pace(options.speed),
    permissions: new Permissions(options.permissionMode, true),
    cwd,
    progress: progressOf(records),
    isResumed: records.length > 0,
    improvise: improviser(scenario, home, cwd),
  })
  for (const [signal, code] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', 143],
  ] as const)
    process.on(signal, () => {
      if (signal === 'SIGTERM' && termination.isIgnored) return
      session.interrupt()
      session.background.stopAll()
      process.exit(code)
    })
  out.write({
    type: 'session',
    sessionId: transcript.id,
    cwd,
    version: VERSION,
    model: 'lever-1',
    scenario: scenario.name,
  })
  const end = await session.prompt(prompt)
  session.background.stopAll()
  await hooks.notify('SessionEnd', { reason: 'exit' })
  transcript.close()
  process.exit(exitCode(end, surface.isAbandoned))
}

function exitCode(end: TurnEnd, isAbandoned: boolean): number {
  if (end.outcome === 'done') return EXIT.ok
  if (end.outcome === 'interrupted') return EXIT.interrupted
  if (end.outcome === 'denied') return isAbandoned ? EXIT.needsHuman : EXIT.rejected
  return end.failure?.kind === 'auth' ? EXIT.programMissing : EXIT.failed
}

async function readPrompt(input: LineInput | null): Promise<string> {
  const line = input && (await input.next(candidate => candidate.type === 'user'))
  const text = input ? String(line?.text ?? '') : await readAll(process.stdin)
  if (text.trim() === '')
    throw new SignalboxError('E_INPUT', 'no prompt was given', {
      next: 'give one with -p, or on stdin (as {"type":"user","text":"…"} with --input json)',
    })
  return text.trim()
}
