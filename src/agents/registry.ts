import { SignalboxError } from '../errors/index.js'
import { nearest } from '../text/index.js'
import type { AgentAdapter } from './adapter.js'

/** Adapters by name, each loaded when it is first asked for. */
const ADAPTERS: Readonly<Record<string, () => Promise<AgentAdapter>>> = {
  demo: async () => (await import('./demo.js')).demoAgent,
}

export function agentNames(): string[] {
  return Object.keys(ADAPTERS)
}

/** @throws SignalboxError `E_INPUT` naming the nearest agent that exists. */
export async function loadAgent(name: string): Promise<AgentAdapter> {
  const load = Object.hasOwn(ADAPTERS, name) ? ADAPTERS[name] : undefined
  if (load) return load()
  const close = nearest(name, agentNames())
  throw new SignalboxError('E_INPUT', `there is no agent "${name}"${close ? `; did you mean "${close}"?` : ''}`, {
    next: `known: ${agentNames().join(', ')}; any program: signalbox start -- ${name}`,
  })
}
