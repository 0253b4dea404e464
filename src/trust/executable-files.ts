import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Git } from '../git/index.js'
import { type Graph, handlerOf, parseDot, textOf } from '../graph/index.js'
import { PACKAGE_ROOT } from '../process/index.js'

/**
 * Files of a project that would be run, or that determine what is run: by path inside the project,
 * with the hash of their content.
 */
export interface ExecutableFiles {
  /** The real path that trust is recorded for. */
  project: string
  /** Shared by the worktrees of a repository; null outside one. */
  commonDirectory: string | null
  files: Readonly<Record<string, string>>
  /** Commands that the graphs pass to a shell, for the person who decides. */
  commands: readonly string[]
  /** One hash for all of them: what a person gives to trust files that they have seen elsewhere. */
  hash: string
}

export const PROJECT_FILE = '.signalbox.toml'

/**
 * Files through which a project starts programs for people who work in it: our own settings, and
 * those of agents (hooks, tool servers). An agent without a terminal obeys them without asking.
 */
export const PROJECT_SETTINGS: readonly string[] = [
  PROJECT_FILE,
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.mcp.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.gemini/settings.json',
  '.qwen/settings.json',
  '.cursor/mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.opencode/opencode.json',
  '.copilot/mcp-config.json',
  '.pi/settings.json',
  '.aider.conf.yml',
  'crush.json',
  '.crush.json',
]

/** The maximum depth of graphs that start each other. */
const DEPTH_MAX = 16

/**
 * The files of a workflow: the DOT file itself, the settings of its project and of its agents
 * there, the prompts, child graphs and handlers it names, and the scripts that its commands name.
 * Only files in the project count: a program from elsewhere is the person's own.
 */
export async function executableFiles(dotFile: string, others: readonly string[] = []): Promise<ExecutableFiles> {
  const path = realpathSync(dotFile)
  const { git, project } = await projectOf(dirname(path))
  const found = new Set<string>([path])
  const commands = new Set<string>()
  for (const module of others) collectModule(realpathSync(module), found)
  collect(path, { project, found, commands, depth: 0 })
  return described(git, { project, found, commands })
}

/**
 * A graph that arrived as text: the text, the files it names, and the settings of the project it
 * will run in.
 */
export async function executableText(
  dot: string,
  directory: string,
  others: readonly string[] = [],
): Promise<ExecutableFiles> {
  const { git, project } = await projectOf(realpathSync(directory))
  const found = new Set<string>()
  const commands = new Set<string>()
  for (const module of others) collectModule(realpathSync(module), found)
  collectGraph(parseDot(dot).graph, project, { project, found, commands, depth: 0 })
  const text = createHash('sha256').update(dot).digest('hex')
  // Named by its content: a text has no path, and another text is another entry.
  return described(git, { project, found, commands }, { [`graph:${text.slice(0, 16)}`]: text })
}

/** A module of the user's own, with the modules that it imports by a relative path. */
export async function executableModule(file: string): Promise<ExecutableFiles> {
  const path = realpathSync(file)
  const { git, project } = await projectOf(dirname(path))
  const found = new Set<string>()
  collectModule(path, found)
  return described(git, { project, found, commands: new Set() }, {}, [])
}

/**
 * Of a directory, what its project would run: the settings of agents and ours, and these files, if
 * they are there. Compares a copy with what a person trusted.
 */
export function executableHashes(directory: string, others: readonly string[] = []): Record<string, string> {
  const names = [...new Set([...PROJECT_SETTINGS, ...others])].filter(name => isFile(join(directory, name)))
  return Object.fromEntries(names.sort().map(name => [name, hashOfFile(join(directory, name))]))
}

/** Ships with Signalbox: installing that implies trust. */
export function isOwnFile(file: string): boolean {
  const examples = join(PACKAGE_ROOT, 'examples')
  if (!existsSync(examples)) return false
  const inside = relative(realpathSync(examples), realpathSync(file))
  return !inside.startsWith('..') && !inside.startsWith('/')
}

async function projectOf(directory: string): Promise<{ git: Git; project: string }> {
  const git = new Git(directory)
  return { git, project: (await git.root()) ?? directory }
}

async function described(
  git: Git,
  { project, found, commands }: Pick<Collected, 'project' | 'found' | 'commands'>,
  more: Readonly<Record<string, string>> = {},
  settings: readonly string[] = PROJECT_SETTINGS,
): Promise<ExecutableFiles> {
  const own = settings.map(name => join(project, name)).filter(isFile)
  const paths = [...new Set([...found, ...own])]
  const files: Record<string, string> = { ...more }
  for (const file of paths) files[relative(project, file)] = hashOfFile(file)
  const { code, stdout } = await git.try(['rev-parse', '--path-format=absolute', '--git-common-dir'])
  return {
    project,
    commonDirectory: code === 0 ? stdout.trim() : null,
    files,
    commands: [...commands],
    hash: hashOf(files),
  }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

export function hashOf(files: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256')
  for (const file of Object.keys(files).sort()) hash.update(`${file}\0${files[file]}\n`)
  return hash.digest('hex')
}

interface Collected {
  project: string
  found: Set<string>
  commands: Set<string>
  depth: number
}

function collect(dotFile: string, collected: Collected): void {
  if (collected.depth > DEPTH_MAX) return
  const { graph } = parseDot(readFileSync(dotFile, 'utf8'))
  collectGraph(graph, dirname(dotFile), collected)
}

/** Follows the quoted relative paths in a module: its imports, and the files that it reads. */
function collectModule(file: string, found: Set<string>): void {
  if (found.has(file)) return
  found.add(file)
  for (const [, named] of readFileSync(file, 'utf8').matchAll(/['"`](\.{1,2}\/[^'"`\n]+)['"`]/g)) {
    const path = resolve(dirname(file), named!)
    if (isFile(path)) collectModule(realpathSync(path), found)
  }
}

/** `directory` is the base of the graph's relative paths. */
function collectGraph(graph: Graph, directory: string, collected: Collected): void {
  const { project, found, commands, depth } = collected
  const add = (named: string | null, base: string): string | null => {
    const file = named === null ? null : insideFile(resolve(base, named), project)
    if (file === null || found.has(file)) return null
    found.add(file)
    return file
  }
  const addGraph = (named: string | null) => {
    const registered = named === null ? null : join('.signalbox', 'pipelines', `${named}.dot`)
    const child = add(registered, project) ?? add(named, directory)
    if (child !== null) collect(child, { ...collected, depth: depth + 1 })
  }
  const addCommand = (command: string | null) => {
    if (command !== null) commands.add(command)
    for (const word of wordsOf(command ?? '')) add(word, project)
  }
  addGraph(textOf(graph.attributes, 'stack.child_dotfile', 'stack.child_workflow'))
  addCommand(textOf(graph.attributes, 'tool_hooks.pre'))
  addCommand(textOf(graph.attributes, 'tool_hooks.post'))
  for (const node of graph.nodes.values()) {
    const prompt = textOf(node.attributes, 'prompt', 'llm_prompt')
    if (prompt?.startsWith('@')) add(prompt.slice(1), directory)
    addGraph(textOf(node.attributes, 'pipeline', 'sub_pipeline', 'graph_ref'))
    addGraph(textOf(node.attributes, 'stack.child_dotfile', 'stack.child_workflow'))
    if (handlerOf(node) === 'tool') addCommand(textOf(node.attributes, 'tool_command', 'script'))
  }
}

/**
 * Words of a shell command that may name a file: split at white space, quotes and operators. Words
 * that are not files are skipped later.
 */
function wordsOf(command: string): string[] {
  return command.split(/[\s'"`;|&<>()=$]+/).filter(word => word.includes('/') || word.includes('.'))
}

function insideFile(path: string, project: string): string | null {
  try {
    const real = realpathSync(path)
    const inside = relative(project, real)
    if (inside.startsWith('..') || inside.startsWith('/') || !statSync(real).isFile()) return null
    return real
  } catch {
    return null
  }
}

function hashOfFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
