import { test } from 'vitest'
import type { AgentUnderTest } from './agent-under-test.js'

/** Whether this run is about the agent: all are, unless some were named. */
export function isWanted(agent: AgentUnderTest): boolean {
  return process.env.SIGNALBOX_TEST_AGENTS?.split(',').includes(agent.name) ?? true
}

/** The agents of these that this run is about. A file without any says so: one without tests would count as failed. */
export function wantedOf(agents: readonly AgentUnderTest[]): AgentUnderTest[] {
  const wanted = agents.filter(isWanted)
  if (wanted.length === 0) test.skip('is about none of the agents that were asked for', () => undefined)
  return wanted
}
