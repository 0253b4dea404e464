import { plural } from '../../text/index.js'
import { sleepExactly } from '../pace.js'
import type { Step, StepName, StepTypes } from '../scenario/types.js'
import { playCrash, playFork, playHang, playHuge, playQuote, playRaw, playZombie, termination } from './play-faults.js'
import { playAsk, playAuth, playPlan, playTrust } from './play-menus.js'
import { playThink, speak } from './play-speech.js'
import { playParallel, playTool } from './play-tool.js'
import { EndTurn, type TurnContext } from './turn-context.js'

type Player<Name extends StepName> = (step: StepTypes[Name], context: TurnContext) => Promise<void> | void

const PLAYERS: { [Name in StepName]: Player<Name> } = {
  think: playThink,
  say: (step, context) => speak(step.markdown, step, context),
  tool: playTool,
  parallel: playParallel,
  ask: playAsk,
  plan: playPlan,
  todo: (step, context) => context.surface.setTodo(step.items),
  agents: playAgents,
  background: (step, context) => {
    const line = Array.isArray(step.command) ? step.command.join(' ') : step.command
    context.background.start(step.command, step.label ?? line)
  },
  error: playError,
  crash: playCrash,
  hang: playHang,
  zombie: playZombie,
  slow: (step, context) => context.pace.slowDown(step.factor),
  huge: playHuge,
  quote: playQuote,
  compact: playCompact,
  auth: playAuth,
  trust: playTrust,
  survey: (step, context) => context.surface.showSurvey(step.question),
  title: (step, context) => context.surface.setTitle(step.text),
  raw: playRaw,
  wait: (step, context) => context.pace.sleep(step.ms, context.signal),
  fork: playFork,
  ignoreTerm: step => {
    termination.isIgnored = step.on
  },
  notice: (step, context) => context.surface.notice(step.text),
  usage: (step, context) => {
    context.surface.addUsage(step)
    context.transcript.append({ type: 'usage', ...step })
  },
}

export async function playStep(step: Step, context: TurnContext): Promise<void> {
  const [[name, payload]] = Object.entries(step) as [[StepName, never]]
  await (PLAYERS[name] as Player<StepName>)(payload, context)
}

async function playError(step: StepTypes['error'], context: TurnContext): Promise<void> {
  const status = step.status === undefined ? {} : { status: step.status }
  const attempts = step.retry?.attempts ?? 0
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const delayMs = step.retry!.delayMs
    context.surface.setWorking({
      label: 'Retrying',
      retry: { attempt, of: attempts, delayMs, reason: step.message, ...status },
    })
    await context.pace.sleep(delayMs, context.signal)
  }
  if (step.final ?? attempts === 0) throw new EndTurn('failed', { kind: step.kind, message: step.message, ...status })
}

async function playCompact(step: StepTypes['compact'], context: TurnContext): Promise<void> {
  context.surface.setWorking({ label: 'Compacting the conversation' })
  await context.pace.sleep(step.ms, context.signal)
  context.transcript.append({ type: 'compact' })
  context.surface.notice('Conversation compacted · 38k → 6k tokens')
}

async function playAgents(step: StepTypes['agents'], context: TurnContext): Promise<void> {
  const { surface, pace } = context
  const total = Math.max(0, ...step.agents.map(agent => agent.ms))
  const paths = pathsOf(step.agents)
  const show = (elapsed: number) => {
    const states = step.agents.map((agent, index) => {
      const elapsedMs = Math.min(elapsed, agent.ms)
      return {
        path: paths[index]!,
        name: agent.name,
        task: agent.task,
        isRunning: elapsed < agent.ms,
        elapsedMs,
        tokens: Math.round(((agent.tokens ?? 1200) * elapsedMs) / Math.max(1, agent.ms)),
      }
    })
    surface.setAgents(states)
    const running = states.filter(agent => agent.isRunning).length
    if (running > 0 && step.wait !== false) surface.setWorking({ label: `Waiting for ${plural(running, 'agent')}` })
    return running
  }
  const play = async (signal?: AbortSignal) => {
    let running = step.agents.length
    for (let elapsed = 0; elapsed < total; elapsed += 200) {
      const now = show(elapsed)
      if (now < running)
        surface.notice(
          `${running - now === 1 ? 'An agent' : `${running - now} agents`} finished · ${now} still running`,
        )
      running = now
      await (signal ? pace.sleep(200, signal) : sleepExactly(pace.speed === 0 ? 0 : 200 / pace.speed))
    }
    show(total)
    surface.notice(`All ${step.agents.length} agents finished`)
    if (!signal) surface.setAgents([])
  }
  if (step.wait === false) return void play()
  try {
    await play(context.signal)
  } finally {
    // An interrupt ends the sub-agents, too.
    surface.setAgents([])
  }
}

/** A sub-agent that another one called is below it; that one must be listed first. */
function pathsOf(agents: StepTypes['agents']['agents']): string[] {
  const paths: string[] = []
  const below = new Map<string, number>()
  for (const { of } of agents) {
    const caller = of === undefined ? -1 : agents.slice(0, paths.length).findIndex(({ name }) => name === of)
    const base = caller < 0 ? '' : `${paths[caller]}/`
    const number = (below.get(base) ?? 0) + 1
    below.set(base, number)
    paths.push(`${base}${number}`)
  }
  return paths
}
