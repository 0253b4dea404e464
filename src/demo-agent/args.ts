import { parseArgs } from 'node:util'
import { SignalboxError } from '../errors/index.js'
import { PERMISSION_MODES, type PermissionMode } from './player/permissions.js'

export interface Options {
  scenario: string | null
  isFullscreen: boolean
  isSynchronized: boolean
  hasStatusReports: boolean
  hasTitle: boolean
  isHeadless: boolean
  /** Speaks the Agent Client Protocol on stdin and stdout. */
  isAcp: boolean
  isIndented: boolean
  prompt: string | null
  input: 'text' | 'json'
  permissionMode: PermissionMode
  sessionId: string | null
  resume: string | null
  /** The conversation that this one begins with. */
  fork: string | null
  settings: string | null
  speed: number
  seed: number
}

export type Command =
  | { name: 'run'; options: Options }
  | { name: 'help' }
  | { name: 'version' }
  | { name: 'scenarios' }
  | { name: 'sample'; directory: string }

export const HELP = `signalbox-demo: a scripted coding agent in a real terminal

  signalbox-demo [options]                     talk to it here
  signalbox-demo --headless [-p text]          one prompt (or stdin), NDJSON out
  signalbox-demo --acp                         the Agent Client Protocol on stdin and stdout
  signalbox-demo --sample-project <dir>        write the project that the tour repairs
  signalbox-demo --scenarios                   list the built-in scenarios

  --scenario <name|file.json>    what it plays (SIGNALBOX_DEMO_SCENARIO; "tour", headless "auto")
  --speed <factor>               2 is twice as fast, 0 takes no time (SIGNALBOX_DEMO_SPEED)
  --seed <n>                     makes the session id reproducible
  --session-id <id> | --resume <id>
  --fork <id>                    a new session that begins with what that one has
  --permission-mode <ask|edits|all|read>
  --settings <file.json>         hooks
  --fullscreen  --no-sync  --no-title  --no-osc7501
  --json-indented                headless: objects over many lines
  --input <text|json>            headless: stdin is the prompt, or JSON lines (prompt, then decisions)
`

const OPTIONS = {
  scenario: { type: 'string' },
  fullscreen: { type: 'boolean' },
  'no-sync': { type: 'boolean' },
  'no-osc7501': { type: 'boolean' },
  'no-title': { type: 'boolean' },
  headless: { type: 'boolean' },
  acp: { type: 'boolean' },
  'json-indented': { type: 'boolean' },
  prompt: { type: 'string', short: 'p' },
  input: { type: 'string' },
  'permission-mode': { type: 'string' },
  'session-id': { type: 'string' },
  resume: { type: 'string' },
  fork: { type: 'string' },
  settings: { type: 'string' },
  speed: { type: 'string' },
  seed: { type: 'string' },
  'sample-project': { type: 'string' },
  scenarios: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

export function parseCommand(argv: string[], env: Record<string, string | undefined>): Command {
  const { values } = readValues(argv)
  if (values.help) return { name: 'help' }
  if (values.version) return { name: 'version' }
  if (values.scenarios) return { name: 'scenarios' }
  if (values['sample-project'] !== undefined) return { name: 'sample', directory: values['sample-project'] }
  if (values.resume !== undefined && values['session-id'] !== undefined)
    throw usage('--resume and --session-id exclude each other.')
  const permissionMode = choice('--permission-mode', values['permission-mode'] ?? 'ask', PERMISSION_MODES)
  const prompt = values.prompt ?? null
  return {
    name: 'run',
    options: {
      scenario: values.scenario ?? (env.SIGNALBOX_DEMO_SCENARIO || null),
      isFullscreen: values.fullscreen ?? false,
      isSynchronized: !values['no-sync'],
      hasStatusReports: !values['no-osc7501'],
      hasTitle: !values['no-title'],
      isHeadless: values.headless ?? prompt !== null,
      isAcp: values.acp ?? false,
      isIndented: values['json-indented'] ?? false,
      prompt,
      input: choice('--input', values.input ?? (permissionMode === 'ask' && prompt === null ? 'json' : 'text'), [
        'text',
        'json',
      ]),
      permissionMode,
      sessionId: values['session-id'] ?? null,
      resume: values.resume ?? null,
      fork: values.fork ?? null,
      settings: values.settings ?? null,
      speed: numeric('--speed', values.speed ?? env.SIGNALBOX_DEMO_SPEED ?? '1'),
      seed: numeric('--seed', values.seed ?? '0'),
    },
  }
}

function readValues(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: false })
  } catch (error) {
    throw usage((error as Error).message)
  }
}

function choice<const T extends string>(name: string, value: string, known: readonly T[]): T {
  if (!known.includes(value as T)) throw usage(`${name} "${value}": expected one of ${known.join(', ')}.`)
  return value as T
}

function numeric(name: string, value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number) || number < 0)
    throw usage(`${name} "${value}": expected a number from 0.`)
  return number
}

function usage(message: string): SignalboxError {
  return new SignalboxError('E_INPUT', message, { next: 'signalbox-demo --help lists the options' })
}
