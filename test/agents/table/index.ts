import type { AgentUnderTest } from '../agent-under-test.js'
import { claude } from './claude.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { opencode } from './opencode.js'
import { qwen } from './qwen.js'

export const AGENTS: readonly AgentUnderTest[] = [claude, codex, gemini, opencode, qwen, copilot]
