import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { BUILT_IN_HANDLERS, type Diagnostic, lintParsed, type Parsed, parseDot, textOf } from '../../graph/index.js'
import { builtInPipelines, pipelineFunctions } from '../../pipelines/index.js'
import { EXAMPLES_DIRECTORY } from '../../process/index.js'
import { type AgentSearch, agentFacts } from '../choose-agent.js'
import { projectPipeline } from '../pipelines/project-pipelines.js'
import type { UserModule } from './user-module.js'

/** A DOT text and where it comes from. */
export interface GraphSource {
  text: string
  /** Null for text from standard input or from a request. */
  path: string | null
  /** How messages name it. */
  name: string
}

/** A graph, parsed and linted. */
export interface LoadedGraph extends GraphSource {
  parsed: Parsed
  diagnostics: Diagnostic[]
  /** The directory that paths in the graph are relative to. */
  directory: string
  module: UserModule | null
}

/** The start of the name of a graph that ships: `example:review-loop`. */
const EXAMPLE = 'example:'

/** Reads a DOT file; `-` is standard input. @throws SignalboxError `E_INPUT` */
export function readGraphFile(cwd: string, file: string): GraphSource {
  const path = file === '-' ? null : (exampleFile(file) ?? resolve(cwd, file))
  try {
    return { text: readFileSync(path ?? 0, 'utf8'), path, name: path === null ? 'standard input' : file }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new SignalboxError(
      'E_INPUT',
      isMissing ? `file not found: ${file}` : `cannot read ${file}: ${(error as Error).message}`,
      { next: 'signalbox run example:implement-test-fix runs an example' },
    )
  }
}

/** The file of an example that ships; null if another file is meant. */
function exampleFile(name: string): string | null {
  if (!name.startsWith(EXAMPLE)) return null
  const wanted = name.slice(EXAMPLE.length)
  const examples = exampleNames()
  if (examples.includes(wanted)) return join(EXAMPLES_DIRECTORY, `${wanted}.dot`)
  throw new SignalboxError('E_INPUT', `there is no example "${wanted}"`, {
    next: `use one of ${examples.map(known => EXAMPLE + known).join(', ')}`,
  })
}

/** The graphs that ship with Signalbox. */
function exampleNames(): string[] {
  return readdirSync(EXAMPLES_DIRECTORY)
    .filter(file => file.endsWith('.dot'))
    .map(file => file.slice(0, -'.dot'.length))
    .sort()
}

export interface LoadOptions {
  /** A module of the user's own, with handlers, functions, rules and transforms. */
  module?: UserModule | null | undefined
  /**
   * The agent of nodes that name none. Agents are checked only if it is given; null: there is none.
   */
  agent?: string | null | undefined
  /** Whether the start names the address of a model for the agent `direct`. */
  hasEndpoint?: boolean | undefined
  /** False for text without a project: prompt files are not searched for. */
  hasProject?: boolean | undefined
}

/** Parses and lints a graph. Prompt files must lie beside the DOT file, inside its repository. */
export async function loadGraph(
  search: AgentSearch,
  source: GraphSource,
  { module = null, agent, hasEndpoint = false, hasProject = true }: LoadOptions = {},
): Promise<LoadedGraph> {
  const { cwd, home } = search
  const { graphs } = home.loaded.config
  const limits = { bytes: graphs.max_bytes, nodes: graphs.max_nodes, edges: graphs.max_edges, label: graphs.max_label }
  const parsed = parseDot(source.text, { file: source.name, limits })
  const directory = source.path === null ? cwd : dirname(source.path)
  const root = (await new Git(directory).root()) ?? directory
  const facts = {
    ...(hasProject && {
      promptFile: (prompt: string) => lookForPrompt(prompt, directory, root),
      childGraph: (named: string) => lookForChild(named, { directory, cwd, root }),
    }),
    handlers: [...BUILT_IN_HANDLERS, ...Object.keys(module?.handlers ?? {})],
    functions: [
      ...pipelineFunctions(textOf(parsed.graph.attributes, 'pipeline_type')),
      ...Object.keys(module?.functions ?? {}),
    ],
    agents: agent === undefined ? null : await agentFacts(search, parsed.graph, agent, hasEndpoint),
  }
  return { ...source, parsed, diagnostics: lintParsed(parsed, facts, module?.rules), directory, module }
}

/** Whether a prompt file exists and lies inside the repository, after links are resolved. */
export function lookForPrompt(prompt: string, directory: string, root: string): 'ok' | 'missing' | 'outside' {
  const path = resolve(directory, prompt)
  if (!existsSync(path)) return 'missing'
  const inside = relative(realpathSync(root), realpathSync(path))
  return inside.startsWith('..') || inside.startsWith('/') ? 'outside' : 'ok'
}

/** Whether a child graph is a registered pipeline, or a file where the run will look for it. */
function lookForChild(named: string, { directory, cwd, root }: Record<'directory' | 'cwd' | 'root', string>) {
  if (builtInPipelines().has(named) || projectPipeline(root, named)) return 'ok'
  const beside = lookForPrompt(named, directory, root)
  return beside === 'missing' ? lookForPrompt(named, cwd, root) : beside
}

/**
 * A graph with errors is not run.
 * @throws SignalboxError `E_GRAPH`, or `E_AGENT_MISSING` if only agents are missing; with every
 * diagnostic in its details.
 */
export function refuseErrors({ diagnostics, name }: LoadedGraph): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const [first, ...more] = errors
  if (!first) return
  const place = first.line === null ? '' : `${first.line}:${first.column ?? 1}: `
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  const isMissing = errors.every(({ rule }) => rule === 'agent_known')
  throw new SignalboxError(
    isMissing ? 'E_AGENT_MISSING' : 'E_GRAPH',
    `nothing was started: ${name} has ${errors.length === 1 ? 'an error' : 'errors'}: ${place}${first.message}${others}`,
    {
      next: isMissing ? 'signalbox doctor lists the installed agents' : (first.fix ?? 'correct it and try again'),
      details: { diagnostics },
    },
  )
}
