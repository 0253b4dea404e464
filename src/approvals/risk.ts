import { visibleValue } from '../text/index.js'
import { rateArgv, rateCommand } from './risk/command.js'
import { isInside, type PathContext, ratePath } from './risk/path.js'
import { highest, type Reason, type Risk } from './risk/reason.js'
import { readToolUse, type ToolUse } from './risk/tool-input.js'

/** What is rated: the structured request, or what the screen shows of it. */
export interface RatedRequest {
  kind: string
  tool: string
  input: unknown
  /** The body of the menu, when only the screen reported the request. */
  text: string | null
  cwd: string
  /** The command or path that the menu shows. */
  onScreen?: ToolUse | null
  mismatch?: string | undefined
  /** The labels of the menu's options. */
  labels?: readonly string[]
  /** The body of the menu did not fit on the screen. */
  isCut?: boolean
}

interface RiskContext {
  project: string
  home: string
  realPath?: (path: string) => string
}

/**
 * The risk of a request. It sorts and colours requests and requires more care; it never allows or
 * denies. The highest matching level wins, and what cannot be parsed is at least elevated.
 */
export function rateRisk(request: RatedRequest, { project, home, realPath }: RiskContext): Risk {
  const context: PathContext = { project, home, cwd: request.cwd, ...(realPath && { realPath }) }
  const isStructured = request.input !== null && request.input !== undefined
  const use: ToolUse = isStructured ? readToolUse(request.tool, request.input) : (request.onScreen ?? { kind: 'other' })
  const reasons: Reason[] = [
    ...(request.mismatch
      ? [{ level: 'high' as const, text: `the screen shows something else: ${request.mismatch}` }]
      : []),
    ...rateTexts(request, use),
    ...rateUse(request, use, context),
  ]
  if (!isStructured && request.onScreen === undefined && request.kind === 'permission')
    reasons.push({ level: 'elevated', text: 'read from the screen; Signalbox could not tell what it does' })
  if (!isStructured && (request.text ?? '').trim() === '')
    reasons.push({ level: 'elevated', text: 'the screen does not show what is asked' })
  if (request.isCut) reasons.push({ level: 'elevated', text: 'the request is longer than the screen' })
  return highest(reasons, { level: 'low', text: lowReason(request, use) })
}

function rateUse(request: RatedRequest, use: ToolUse, context: PathContext): Reason[] {
  switch (use.kind) {
    case 'command': {
      const cwd = use.cwd === undefined ? context.cwd : use.cwd
      const here = { ...context, cwd: cwd?.startsWith('/') ? cwd : context.cwd }
      const outside: Reason[] =
        here.cwd !== null && !isInside(here.cwd, context.project)
          ? [{ level: 'high', text: `runs outside the project: ${here.cwd}` }]
          : []
      return [
        ...outside,
        ...(typeof use.command === 'string' ? rateCommand(use.command, here) : rateWords(use.command, here)),
      ]
    }
    case 'read':
    case 'write': {
      const { kind } = use
      const unknown: Reason[] =
        use.paths.length === 0 && kind === 'write' ? [{ level: 'elevated', text: 'writes unnamed files' }] : []
      return [...unknown, ...use.paths.flatMap(path => ratePath(path, kind, context))]
    }
    case 'fetch':
      return [{ level: 'elevated', text: 'uses the network' }, ...use.urls.flatMap(rateUrl)]
    case 'mcp':
      return [{ level: 'elevated', text: `a tool of the MCP server ${visibleValue(use.server).text}` }]
    case 'agent':
      return [{ level: 'elevated', text: 'starts a sub-agent' }]
    case 'plan':
      return [{ level: 'elevated', text: 'lets the agent start with its plan' }]
    case 'question':
    case 'todo':
      return []
    case 'other':
      if (request.kind === 'permission')
        return [{ level: 'elevated', text: `the effect of ${visibleValue(request.tool).text} is unknown` }]
      return request.kind === 'plan' ? [{ level: 'elevated', text: 'lets the agent start with its plan' }] : []
  }
}

/**
 * `["bash", "-lc", "…"]` is a shell script in an argument list: Codex reports commands in this
 * form.
 */
function rateWords(argv: readonly string[], context: PathContext): Reason[] {
  const isShell = argv.length === 3 && /^(.*\/)?(ba|z|da|k)?sh$/.test(argv[0]!) && /^-l?c$/.test(argv[1]!)
  return isShell ? rateCommand(argv[2]!, context) : rateArgv(argv, context)
}

function rateUrl(url: string): Reason[] {
  const shown = visibleValue(url).text
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return [{ level: 'elevated', text: `an invalid URL: ${shown}` }]
  }
  const reasons: Reason[] = []
  if (parsed.username !== '' || parsed.password !== '')
    reasons.push({ level: 'high', text: `the URL contains a user name or password: host ${parsed.host}` })
  if (parsed.hostname.includes('xn--'))
    reasons.push({ level: 'high', text: `the host name uses another script: ${parsed.hostname}` })
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    reasons.push({ level: 'high', text: `not a web address: ${parsed.protocol}` })
  if (
    /^(localhost|127\.|10\.|192\.168\.|169\.254\.|\[)/.test(parsed.hostname) ||
    /^172\.(1[6-9]|2\d|3[01])\./.test(parsed.hostname)
  )
    reasons.push({ level: 'high', text: `connects to this machine or its network: ${parsed.host}` })
  return reasons
}

/**
 * Suspicious characters. In commands, paths and hosts a look-alike is as bad as a hidden character;
 * in prose it is common.
 */
function rateTexts(request: RatedRequest, use: ToolUse): Reason[] {
  const exact =
    use.kind === 'command'
      ? typeof use.command === 'string'
        ? [use.command]
        : use.command
      : use.kind === 'read' || use.kind === 'write'
        ? use.paths
        : use.kind === 'fetch'
          ? use.urls
          : []
  const all = [request.tool, request.text ?? '', ...(request.labels ?? []), ...stringsIn(request.input)]
  return [...exact.flatMap(text => rateText(text, true)), ...all.flatMap(text => rateText(text, false))]
}

function rateText(text: string, isExact: boolean): Reason[] {
  return visibleValue(text).findings.flatMap(({ what, count }): Reason[] => {
    switch (what) {
      case 'hidden characters':
      case 'control characters':
        return [{ level: 'high', text: `${what} in the request (${count})` }]
      case 'mixed-script words':
        return [{ level: isExact ? 'high' : 'elevated', text: `words with mixed scripts (${count})` }]
      case 'look-alike characters':
      case 'unusual blanks':
        return isExact ? [{ level: 'high', text: `${what} in the command, path or URL (${count})` }] : []
      case 'long blanks':
      case 'empty lines':
        return isExact ? [{ level: 'elevated', text: `${what} that may push a part out of view` }] : []
      default:
        return []
    }
  })
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* stringsIn(item)
    }
}

function lowReason({ kind }: RatedRequest, use: ToolUse): string {
  if (use.kind === 'command') return 'one plain command that reads, or runs checks of the project'
  if (use.kind === 'read') return 'reads inside the project'
  return kind === 'permission' ? 'changes nothing' : 'a question'
}
