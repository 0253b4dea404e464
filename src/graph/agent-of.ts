import { type GraphNode, textOf } from './graph.js'

/** Providers with exactly one matching agent. */
const AGENT_OF_PROVIDER: Readonly<Record<string, string>> = {
  anthropic: 'claude',
  openai: 'codex',
  google: 'gemini',
  gemini: 'gemini',
}

/** The agent that runs a node: its own, the run's, else the one of its provider. */
export function agentOf(node: GraphNode, runs: string | null): string | null {
  const provider = textOf(node.attributes, 'llm_provider', 'provider')
  const implied = provider === null ? null : (AGENT_OF_PROVIDER[provider.toLowerCase()] ?? null)
  return textOf(node.attributes, 'agent', 'agent_tool') ?? runs ?? implied
}
