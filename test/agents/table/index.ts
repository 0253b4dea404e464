import type { AgentUnderTest } from '../agent-under-test.js'
import { claude } from './claude.js'
import { cline } from './cline.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { goose } from './goose.js'
import { kimi } from './kimi.js'
import { opencode } from './opencode.js'
import { pi } from './pi.js'
import { qwen } from './qwen.js'

/** `npm run agents:newest` names other versions: a JSON object from agent to version. */
const versions = JSON.parse(process.env.SIGNALBOX_TEST_VERSIONS ?? '{}') as Record<string, string>

const pinned = (agent: AgentUnderTest) => ({ ...agent, version: versions[agent.name] ?? agent.version })

export const AGENTS: readonly AgentUnderTest[] = [claude, codex, gemini, opencode, qwen, copilot, cline, pi].map(pinned)

/** Agents without an adapter of Signalbox; they only speak the Agent Client Protocol with it. */
export const PROTOCOL_AGENTS: readonly AgentUnderTest[] = [goose, kimi].map(pinned)
