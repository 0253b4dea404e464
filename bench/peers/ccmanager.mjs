// ccmanager itself, from npm: the detectors of the published package, and the screens with which it
// tests them. The package is unpacked outside of the project; nothing of it is copied here.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const CCMANAGER = '4.2.3'
const PLACE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox-bench', `ccmanager-${CCMANAGER}`)
const DETECTORS = join(PLACE, 'package', 'dist', 'services', 'stateDetector')
/** Its names for agents, where they are not ours. */
const STRATEGIES = { copilot: 'github-copilot' }
const OURS = { 'github-copilot': 'copilot' }
const AGENTS = new Set(['claude', 'gemini', 'codex', 'cursor', 'copilot', 'cline', 'opencode', 'kimi'])
/** Its words for the three states. */
const STATES = { waiting_input: 'blocked', busy: 'working', idle: 'idle' }
const THEIR_WORDS = { blocked: 'waiting_input', working: 'busy', idle: 'idle' }

/** Null, with a message, if npm cannot get the package. */
function getCcmanager() {
  if (existsSync(DETECTORS)) return DETECTORS
  try {
    mkdirSync(PLACE, { recursive: true })
    execFileSync('npm', ['pack', '--silent', `ccmanager@${CCMANAGER}`], { cwd: PLACE, stdio: ['ignore', 'pipe', 2] })
    execFileSync('tar', ['xzf', `ccmanager-${CCMANAGER}.tgz`], { cwd: PLACE })
    return DETECTORS
  } catch (error) {
    console.error(`ccmanager ${CCMANAGER} could not be had from npm: ${error.message}`)
    return null
  }
}

/**
 * What ccmanager says about the screens of one session, in order. It waits until a screen has not
 * changed for a while before it calls it idle, so it is told the time of the recording.
 */
export async function ccmanagerReader(agent) {
  if (!AGENTS.has(agent) || !getCcmanager()) return null
  const { createStateDetector } = await import(pathToFileURL(join(DETECTORS, 'index.js')).href)
  const detector = createStateDetector(STRATEGIES[agent] ?? agent)
  let state = 'idle'
  return ({ lines, cols }, t) => {
    const now = Date.now
    Date.now = () => t * 1_000
    try {
      state = STATES[detector.detectState(terminalOf(lines, cols), THEIR_WORDS[state])]
    } finally {
      Date.now = now
    }
    return state
  }
}

/** The part of a terminal that its detectors read. */
function terminalOf(lines, cols) {
  const getLine = index => (index in lines ? { translateToString: () => lines[index] } : null)
  return { rows: lines.length, cols, buffer: { active: { type: 'normal', length: lines.length, baseY: 0, getLine } } }
}

/**
 * The screens of its own tests, with what they expect: { agent, lines, expected }. The tests run
 * with a stand-in for vitest that notes which screen a detector got before each expectation.
 */
export async function ccmanagerScreens() {
  if (!getCcmanager()) return []
  const stub = join(PLACE, 'package', 'node_modules', 'vitest')
  mkdirSync(stub, { recursive: true })
  writeFileSync(join(stub, 'package.json'), '{"name":"vitest","type":"module","main":"index.js"}')
  writeFileSync(join(stub, 'index.js'), STUB)
  const { collected, run } = await import(pathToFileURL(join(stub, 'index.js')).href)
  const { createStateDetector } = await import(pathToFileURL(join(DETECTORS, 'index.js')).href)
  for (const file of readdirSync(DETECTORS).filter(name => name.endsWith('.test.js'))) {
    const strategy = file.slice(0, -'.test.js'.length)
    const agent = OURS[strategy] ?? strategy
    if (!AGENTS.has(agent)) continue
    const prototype = Object.getPrototypeOf(createStateDetector(strategy))
    const { detectState } = prototype
    prototype.detectState = function noted(terminal, current) {
      const { rows, buffer } = terminal
      const { active } = buffer
      const lines = Array.from(
        { length: rows },
        (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
      )
      collected.last = { agent, lines }
      return detectState.call(this, terminal, current)
    }
    await import(pathToFileURL(join(DETECTORS, file)).href)
    await run()
    prototype.detectState = detectState
  }
  const seen = new Set()
  return collected.screens
    .filter(({ expected }) => expected in STATES)
    .map(screen => ({ ...screen, expected: STATES[screen.expected] }))
    .filter(screen => {
      const key = JSON.stringify(screen)
      return !seen.has(key) && seen.add(key)
    })
}

const STUB = `
export const collected = { screens: [], last: null }
const tests = []
let hooks = []
const noop = () => undefined
export const describe = (name, body) => {
  const outer = hooks
  hooks = [...hooks]
  body()
  hooks = outer
}
export const it = (name, body) => void tests.push({ body, hooks: [...hooks] })
export const test = it
export const beforeEach = hook => void hooks.push(hook)
export const afterEach = noop
export const expect = () =>
  new Proxy({}, {
    get: (_, name) => name === 'toBe'
      ? expected => { if (collected.last) collected.screens.push({ ...collected.last, expected }); collected.last = null }
      : name === 'not' ? new Proxy({}, { get: () => noop }) : noop,
  })
export const vi = new Proxy({}, { get: () => noop })
export async function run() {
  for (const { body, hooks: before } of tests.splice(0)) {
    collected.last = null
    try {
      for (const hook of before) await hook()
      await body()
    } catch {}
  }
}
`
