import type { AgentUnderTest } from './agent-under-test.js'

/** Whether this run is about the agent: all are, unless some were named. */
export function isWanted(agent: AgentUnderTest): boolean {
  return process.env.SIGNALBOX_TEST_AGENTS?.split(',').includes(agent.name) ?? true
}
