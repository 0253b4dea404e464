import type { AgentUnderTest } from '../agent-under-test.js'
import { claude } from './claude.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { opencode } from './opencode.js'
import { qwen } from './qwen.js'

/** `npm run agents:newest` names other versions: a JSON object from agent to version. */
const versions = JSON.parse(process.env.SIGNALBOX_TEST_VERSIONS ?? '{}') as Record<string, string>

export const AGENTS: readonly AgentUnderTest[] = [claude, codex, gemini, opencode, qwen, copilot].map(agent => ({
  ...agent,
  version: versions[agent.name] ?? agent.version,
}))
