import { test } from 'vitest'
import type { AgentUnderTest } from './agent-under-test.js'

/** Whether this run tests the agent: all are tested unless some were named. */
export function isWanted(agent: AgentUnderTest): boolean {
  return process.env.SIGNALBOX_TEST_AGENTS?.split(',').includes(agent.name) ?? true
}

/** The agents that this run tests. Without any, one test is skipped: a file without tests fails. */
export function wantedOf(agents: readonly AgentUnderTest[]): AgentUnderTest[] {
  const wanted = agents.filter(isWanted)
  if (wanted.length === 0) test.skip('tests none of the named agents', () => undefined)
  return wanted
}
