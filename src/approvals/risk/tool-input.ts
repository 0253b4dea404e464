/** What a tool of an agent does, as far as its name and input show. */
export type ToolUse =
  | { kind: 'command'; command: string | readonly string[]; cwd?: string }
  | { kind: 'read' | 'write'; paths: readonly string[] }
  | { kind: 'fetch'; urls: readonly string[] }
  | { kind: 'question' | 'plan' | 'agent' | 'todo' }
  | { kind: 'mcp'; server: string }
  | { kind: 'other' }

type ToolKind = 'command' | 'read' | 'write' | 'fetch' | 'question' | 'plan' | 'agent' | 'todo'

/** Agents' tool names without case, `_` and `-`; others are judged by input. */
const TOOLS: Readonly<Record<string, ToolKind>> = {
  bash: 'command',
  shell: 'command',
  localshell: 'command',
  exec: 'command',
  execcommand: 'command',
  executecommand: 'command',
  runshellcommand: 'command',
  runcommand: 'command',
  runinterminal: 'command',
  powershell: 'command',
  read: 'read',
  readfile: 'read',
  readmanyfiles: 'read',
  view: 'read',
  glob: 'read',
  grep: 'read',
  ls: 'read',
  list: 'read',
  listdirectory: 'read',
  listfiles: 'read',
  search: 'read',
  searchfiles: 'read',
  searchfilecontent: 'read',
  notebookread: 'read',
  write: 'write',
  writefile: 'write',
  writetofile: 'write',
  create: 'write',
  edit: 'write',
  editfile: 'write',
  multiedit: 'write',
  notebookedit: 'write',
  replace: 'write',
  replaceinfile: 'write',
  strreplaceeditor: 'write',
  applypatch: 'write',
  patch: 'write',
  sandboxread: 'read',
  sandboxwrite: 'write',
  webfetch: 'fetch',
  websearch: 'fetch',
  fetch: 'fetch',
  googlewebsearch: 'fetch',
  browseraction: 'fetch',
  askuserquestion: 'question',
  askfollowupquestion: 'question',
  question: 'question',
  exitplanmode: 'plan',
  task: 'agent',
  agent: 'agent',
  todowrite: 'todo',
  updateplan: 'todo',
}

const COMMAND_FIELDS = ['command', 'cmd', 'script'] as const
const PATH_FIELDS = [
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'absolute_path',
  'target_file',
  'dir_path',
  'directory',
  'file',
  'filename',
] as const
const PATH_LIST_FIELDS = ['paths', 'file_paths', 'files'] as const
const CWD_FIELDS = ['cwd', 'workdir', 'working_directory', 'dir_path', 'directory'] as const

export function readToolUse(tool: string, input: unknown): ToolUse {
  const fields: Record<string, unknown> = isRecord(input) ? input : {}
  const mcp = /^mcp__(.+?)__/.exec(tool) ?? /^([^.\s]+)\.[^.\s]+ \(mcp\)$/i.exec(tool)
  if (mcp) return { kind: 'mcp', server: mcp[1]! }
  const name = tool.toLowerCase().replace(/[_\-\s]/g, '')
  const kind = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
  const command = firstOf(fields, COMMAND_FIELDS, isCommand)
  if (command !== undefined && (kind === 'command' || kind === undefined)) {
    const cwd = firstOf(fields, CWD_FIELDS, isString)
    return { kind: 'command', command, ...(cwd !== undefined && { cwd }) }
  }
  const paths = pathsOf(fields)
  if (kind === 'read') return { kind, paths }
  if (kind === 'write') return { kind, paths: [...paths, ...patchPaths(fields, input)] }
  const url = firstOf(fields, ['url', 'uri'], isString)
  if (kind === 'fetch' || (kind === undefined && url !== undefined))
    return { kind: 'fetch', urls: url === undefined ? [] : [url] }
  if (kind === undefined && paths.length > 0) return { kind: 'write', paths }
  if (kind === undefined || kind === 'command') return { kind: 'other' }
  return { kind }
}

function pathsOf(fields: Record<string, unknown>): string[] {
  const single = PATH_FIELDS.flatMap(name => (isString(fields[name]) ? [fields[name]] : []))
  const lists = PATH_LIST_FIELDS.flatMap(name => (Array.isArray(fields[name]) ? fields[name] : []))
  const listed = lists.flatMap(item => (isString(item) ? [item] : isRecord(item) ? pathsOf(item) : []))
  const changes = isRecord(fields.changes) ? Object.keys(fields.changes) : []
  return [...new Set([...single, ...listed, ...changes])]
}

/**
 * Codex's patch format names each file on a separate line. Its hooks report the patch as the
 * command of `apply_patch`, its transcript as the input itself.
 */
function patchPaths(fields: Record<string, unknown>, input: unknown): string[] {
  const patch = isString(input) ? input : (firstOf(fields, ['patch', 'input', 'diff', 'command'], isString) ?? '')
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$|^\+\+\+ (?:b\/)?(.+)$/gm)]
    .map(match => match[1] ?? match[2] ?? match[3]!)
    .filter(path => path !== '/dev/null')
}

function firstOf<T>(
  fields: Record<string, unknown>,
  names: readonly string[],
  is: (value: unknown) => value is T,
): T | undefined {
  for (const name of names) {
    const value = fields[name]
    if (is(value)) return value
  }
  return undefined
}

function isCommand(value: unknown): value is string | string[] {
  return isString(value) || (Array.isArray(value) && value.length > 0 && value.every(isString))
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
