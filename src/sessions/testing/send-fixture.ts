import { afterEach, beforeEach, expect } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import { parsePack } from '../../screen/index.js'
import { type SendResult, sendPrompt } from '../live/send-prompt.js'
import { type AgentScript, idle, ScriptedAgent } from './scripted-agent.js'

export const packOf = (input: string, agent = 'demo') =>
  parsePack(`pack = 1\nagent = "${agent}"\ninput = { ${input} }\n`, 'test.toml')
export const BULK = packOf('mode = "bulk", pace_ms = 0, settle_ms = 150, queue = true')
export const TYPED = packOf('mode = "typed", pace_ms = 2, settle_ms = 250')
export const GENERIC = packOf('mode = "typed", pace_ms = 2, settle_ms = 250', 'generic')
export const TEXT = 'please fix the failing test'

export let clock: SimulatedClock
let agents: ScriptedAgent[]

/**
 * A new clock for every test of a file. After each test it checks what must hold whatever the agent
 * did.
 */
export function useSendFixture(): void {
  beforeEach(() => {
    clock = new SimulatedClock()
    agents = []
  })
  afterEach(() => {
    for (const agent of agents) {
      expect(agent.keysInMenu).toEqual([])
      expect(agent.enters).toBeLessThanOrEqual(2)
      for (const keys of agent.writes) if (keys !== '\r') expect(keys).not.toContain('\r')
    }
  })
}

export function agentOf(script: AgentScript = {}, seen = idle()): ScriptedAgent {
  const agent = new ScriptedAgent(clock, script)
  agent.seen = seen
  agents.push(agent)
  return agent
}

export function send(agent: ScriptedAgent, text = TEXT, pack = BULK): Promise<SendResult> {
  return runToEnd(clock, sendPrompt(agent, text, { pack, clock }))
}
