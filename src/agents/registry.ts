import { SignalboxError } from '../errors/index.js'
import { closestMatch } from '../text/index.js'
import type { AgentAdapter } from './adapter.js'
import { genericAgent } from './generic.js'

/** Adapters by name, loaded on first use. */
const ADAPTERS: Readonly<Record<string, () => Promise<AgentAdapter>>> = {
  claude: async () => (await import('./claude.js')).claudeAgent,
  codex: async () => (await import('./codex.js')).codexAgent,
  gemini: async () => (await import('./gemini.js')).geminiAgent,
  opencode: async () => (await import('./opencode.js')).opencodeAgent,
  qwen: async () => (await import('./qwen.js')).qwenAgent,
  copilot: async () => (await import('./copilot.js')).copilotAgent,
  cline: async () => (await import('./cline.js')).clineAgent,
  pi: async () => (await import('./pi.js')).piAgent,
  aider: async () => (await import('./aider.js')).aiderAgent,
  direct: async () => (await import('./direct.js')).directAgent,
  crush: async () => (await import('./crush.js')).crushAgent,
  demo: async () => (await import('./demo.js')).demoAgent,
}

export function agentNames(): string[] {
  return Object.keys(ADAPTERS)
}

/** @throws SignalboxError `E_INPUT` that suggests the closest known agent. */
export async function loadAgent(name: string): Promise<AgentAdapter> {
  const load = Object.hasOwn(ADAPTERS, name) ? ADAPTERS[name] : undefined
  if (load) return load()
  const close = closestMatch(name, agentNames())
  throw new SignalboxError('E_INPUT', `unknown agent "${name}"${close ? `; did you mean "${close}"?` : ''}`, {
    next: `known agents: ${agentNames().join(', ')}; for any other program: signalbox start -- ${name}`,
  })
}

/**
 * The adapter for a program, as in `signalbox start -- claude --model x` or in a foreign pane. A
 * path is matched by its last component. An unknown program gets the generic adapter.
 */
export async function adapterForProgram(program: string): Promise<AgentAdapter> {
  const name = program.slice(program.lastIndexOf('/') + 1).replace(/\.exe$/i, '')
  for (const agent of agentNames()) {
    const adapter = await loadAgent(agent)
    if (adapter.programs.includes(name)) return adapter
  }
  return genericAgent(program)
}
