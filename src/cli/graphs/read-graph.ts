import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { BUILT_IN_HANDLERS, type Diagnostic, lintParsed, type Parsed, parseDot, textOf } from '../../graph/index.js'
import { openHome } from '../../host/home/index.js'
import { pipelineFunctions } from '../../pipelines/index.js'
import { lookForPrompt } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { agentFacts } from './agent-facts.js'
import { loadUserModule, type UserModule } from './user-module.js'

export interface ReadGraph {
  parsed: Parsed
  diagnostics: Diagnostic[]
  text: string
  path: string
  module: UserModule | null
}

/** A DOT file, read and linted. Files that its prompts name are looked for beside it, inside of its repository. */
export async function readGraph(
  context: CommandContext,
  file: string,
  { handlers, agent }: { handlers?: string; agent?: string | null } = {},
): Promise<ReadGraph> {
  const path = file === '-' ? '-' : resolve(context.cwd, file)
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new SignalboxError('E_INPUT', `${file} cannot be read: ${(error as Error).message}`)
  }
  const { graphs } = openHome(context).loaded.config
  const limits = { bytes: graphs.max_bytes, nodes: graphs.max_nodes, edges: graphs.max_edges, label: graphs.max_label }
  const parsed = parseDot(text, { file: file === '-' ? 'standard input' : file, limits })
  const directory = file === '-' ? context.cwd : dirname(path)
  const root = (await new Git(directory).root()) ?? directory
  const module = handlers === undefined ? null : await loadUserModule(context.cwd, handlers)
  const facts = {
    promptFile: (prompt: string) => lookForPrompt(prompt, directory, root),
    handlers: [...BUILT_IN_HANDLERS, ...Object.keys(module?.handlers ?? {})],
    functions: [
      ...pipelineFunctions(textOf(parsed.graph.attributes, 'pipeline_type')),
      ...Object.keys(module?.functions ?? {}),
    ],
    agents: agent === undefined ? null : await agentFacts(context, parsed.graph, agent),
  }
  const diagnostics = lintParsed(parsed, facts, module?.rules)
  return { parsed, diagnostics, text, path, module }
}

/** `file:12:5 error rule: message`, the line, a caret, and what to do about it. */
export function describeDiagnostic(context: CommandContext, diagnostic: Diagnostic, text: string): string[] {
  const { file, line, column, severity, rule, message, fix } = diagnostic
  const place = [file ?? 'graph', line, column].filter(part => part !== null).join(':')
  const colour = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim'
  const lines = [`${place} ${context.style(colour, severity)} ${rule}: ${message}`]
  const source = line === null ? undefined : text.split('\n')[line - 1]
  if (source !== undefined && column !== null && severity !== 'info') {
    const shown = source.replace(/\t/g, ' ')
    const from = Math.max(0, column - 1 - 60)
    lines.push(context.style('dim', `  ${shown.slice(from, from + 100)}`), `  ${' '.repeat(column - 1 - from)}^`)
  }
  if (fix !== undefined) lines.push(`  fix: ${fix}`)
  return lines
}
