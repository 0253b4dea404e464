/** Context keys that the engine sets after every node. */
export const BOOKKEEPING_KEYS: ReadonlySet<string> = new Set([
  'outcome',
  'preferred_label',
  'current_node',
  'last_stage',
  'last_response',
  'failure_class',
])

/** Prefixes of the keys that the engine and its handlers set. */
const PREFIXES = ['tool.', 'human.', 'parallel.', 'stack.', 'graph.', 'internal.', 'response.', 'work.', '_']

/** The key as the context stores it: conditions may write `context.x` for `x`. */
export function bareKey(key: string): string {
  return key.replace(/^context\./, '')
}

/** Whether the engine or one of its handlers sets a key, so that no agent has to. */
export function isSetByEngine(key: string): boolean {
  const bare = bareKey(key)
  return BOOKKEEPING_KEYS.has(bare) || PREFIXES.some(prefix => bare.startsWith(prefix))
}
