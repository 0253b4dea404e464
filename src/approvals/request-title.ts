import { optionText } from '../text/index.js'
import { readToolUse } from './risk/tool-input.js'

/*
 * What a request is about, as one sentence: “Claude wants to run a command”. Every surface shows it
 * as the title, also the dashboard, which imports this file: it imports nothing but pure code.
 */

interface TitledRequest {
  kind: string
  subject: { agent: string; project: string; cwd: string }
  request: { tool: string; input: unknown }
  display: { title: string }
}

const NAMES: Readonly<Record<string, string>> = {
  opencode: 'OpenCode',
  signalbox: 'The run',
}

/** The name of an agent at the beginning of a sentence. */
export function agentName(agent: string): string {
  return NAMES[agent] ?? agent.charAt(0).toUpperCase() + agent.slice(1)
}

/** Paths, hosts and names of tools are the agent's: their hidden characters are made visible. */
export function requestTitle(record: TitledRequest): string {
  // A gate is a question in the words of its graph.
  if (record.kind === 'gate') return record.display.title
  // An action of the run itself has its own title: “Push, post 2 comments”.
  if (record.kind === 'permission' && record.subject.agent === 'signalbox' && record.display.title !== '')
    return optionText(`The run wants to ${lowerFirst(record.display.title)}`)
  return optionText(`${agentName(record.subject.agent)} ${clauseOf(record)}`)
}

function clauseOf({ kind, subject, request }: TitledRequest): string {
  switch (kind) {
    case 'permission':
      return permission(request, subject)
    case 'question':
      return 'has a question'
    case 'plan':
      return 'has a plan for you to approve'
    case 'review':
      return 'has findings for you to select'
    case 'budget':
      return 'has used its budget'
    case 'auth':
      return 'needs you to sign in'
    default:
      return 'asks'
  }
}

const CREATES = /^(sandbox )?(write|create)/i

function permission({ tool, input }: TitledRequest['request'], subject: TitledRequest['subject']): string {
  const use = readToolUse(tool, input)
  switch (use.kind) {
    case 'command':
      return 'wants to run a command'
    case 'write':
      return `wants to ${CREATES.test(tool) ? 'write' : 'edit'} ${filesOf(use.paths, subject)}`
    case 'read':
      return `wants to read ${filesOf(use.paths, subject)}`
    case 'fetch':
      return `wants to open ${hostOf(use.urls[0]) ?? 'a web page'}`
    case 'mcp':
      return `wants to use ${tool.replace(/^mcp__.+?__/, '')} of ${use.server}`
    case 'agent':
      return 'wants to start a sub-agent'
    case 'plan':
      return 'wants to start with its plan'
    default:
      return otherPermission(tool)
  }
}

/** A request that only the screen reported names its tool in the words of the agent's dialog. */
function otherPermission(tool: string): string {
  if (tool === 'permission') return 'asks for permission'
  if (/\b(bash|shell|command)\b/i.test(tool)) return 'wants to run a command'
  if (/\b(edit|patch|change|update)\b/i.test(tool)) return 'wants to edit a file'
  if (/\b(write|create)\b/i.test(tool)) return 'wants to write a file'
  return `wants to use ${tool.replace(/^use\s+/i, '')}`
}

function filesOf(paths: readonly string[], { project, cwd }: TitledRequest['subject']): string {
  if (paths.length !== 1) return paths.length === 0 ? 'files' : `${paths.length} files`
  const [path = ''] = paths
  const root = [project, cwd].find(directory => path.startsWith(`${directory}/`))
  return root === undefined ? path : path.slice(root.length + 1)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function hostOf(url: string | undefined): string | null {
  try {
    return url === undefined ? null : new URL(url).host
  } catch {
    return null
  }
}
