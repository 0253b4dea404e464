import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { newId, newNonce } from '../../clock/index.js'
import { listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { createWorkspace } from '../../worktrees/index.js'
import { gitLine } from '../cards/git-texts.js'
import { sessionTitle } from '../cards/session-title.js'
import { type CommandServices, personName, type Requester, requireRole } from '../command-services.js'
import type { ButtonAction, ButtonSpec, StartForm } from '../incoming/button-action.js'
import { questionSubject } from '../incoming/reply-question.js'
import { escapeHtml } from '../outgoing/split.js'

const PROJECTS_PER_PAGE = 8
const ROOT_ENTRIES_MAX = 500

/**
 * Starts sessions and runs, and asks for what is missing. The buttons carry what was chosen so far.
 */
export class StartWizard {
  readonly #services: CommandServices

  constructor(services: CommandServices) {
    this.#services = services
  }

  /** Asks the next question, or starts. */
  async next(form: StartForm, page: number, to: Requester): Promise<string> {
    requireRole(to.person, 'approver')
    if (form.project === undefined) return this.#askProject(form, page, to)
    if (form.agent === undefined) {
      const agents = this.#agents(form.kind)
      if (agents.length !== 1) return this.#askAgent(form, to)
      return this.next({ ...form, agent: agents[0]! }, 0, to)
    }
    if (form.kind === 'new') {
      if (form.isApart === undefined && (await hasCommit(form.project))) return this.#askWorkspace(form, to)
      return this.#startSession(form, to)
    }
    if (form.text === undefined) return this.#askText(form, to)
    return this.#startRun(form, to)
  }

  /**
   * `/new demo shop`: the name of an agent and the name or path of a known project, in any order.
   */
  async read(kind: StartForm['kind'], rest: string): Promise<StartForm> {
    const projects = await this.projects()
    const words = rest.split(/\s+/).filter(Boolean)
    const form: StartForm = { kind }
    while (words.length > 0) {
      const [word = ''] = words
      const project = projects.find(path => path === word || basename(path) === word)
      if (form.agent === undefined && this.#agents(kind).includes(word)) form.agent = word
      else if (form.project === undefined && project !== undefined) form.project = project
      else break
      words.shift()
    }
    if (words.length > 0) {
      if (kind === 'new' && form.project === undefined)
        throw new SignalboxError('E_INPUT', `Unknown agent or project "${words[0]}".`, {
          next: '/new without a name lets you choose.',
        })
      form.text = words.join(' ')
    }
    return form
  }

  /**
   * The projects of sessions and runs, newest first, then repositories below the configured roots.
   */
  async projects(): Promise<string[]> {
    const { host, ports } = this.#services
    const used = [
      ...(await host.records()).map(({ project, startedAt }) => ({ path: project, at: startedAt })),
      ...(await listRuns(host.store)).map(({ project, updatedAt }) => ({ path: project, at: updatedAt })),
    ].sort((a, b) => b.at - a.at)
    const below = ports.roots.flatMap(repositoriesBelow)
    return [...new Set([...used.map(({ path }) => path), ...below])].filter(path => existsSync(path))
  }

  /** A session needs an agent with a terminal. */
  #agents(kind: StartForm['kind']): readonly string[] {
    const { agents, agentsWithoutTerminal = [] } = this.#services.ports
    return kind === 'new' ? agents.filter(agent => !agentsWithoutTerminal.includes(agent)) : agents
  }

  async #askProject(form: StartForm, page: number, to: Requester): Promise<string> {
    const projects = await this.projects()
    if (projects.length === 0)
      throw new SignalboxError('E_STATE', 'No project is known.', {
        next: 'Set projects.roots, or start a session in a terminal.',
      })
    const pages = Math.ceil(projects.length / PROJECTS_PER_PAGE)
    const shown = projects.slice(page * PROJECTS_PER_PAGE, (page + 1) * PROJECTS_PER_PAGE)
    const turn = (text: string, number: number): ButtonSpec[] =>
      number >= 0 && number < pages ? [{ text, action: { do: 'wizard', form, page: number } }] : []
    await this.#services.reply(to, `<b>${TITLES[form.kind]}</b>\nWhich project?`, {
      buttons: [
        ...shown.map((path): ButtonSpec[] => [
          { text: basename(path) || path, action: { do: 'wizard', form: { ...form, project: path }, page: 0 } },
        ]),
        ...(pages > 1 ? [[...turn('◀', page - 1), ...turn(`${page + 1}/${pages} ▶`, page + 1)]] : []),
      ],
    })
    return 'asked for the project'
  }

  async #askAgent(form: StartForm, to: Requester): Promise<string> {
    const agents = this.#agents(form.kind)
    if (agents.length === 0)
      throw new SignalboxError('E_AGENT_MISSING', 'No agent is installed on this machine.', {
        next: 'signalbox doctor lists what is missing.',
      })
    await this.#services.reply(
      to,
      `<b>${TITLES[form.kind]}</b> in ${escapeHtml(basename(form.project!))}\nWhich agent?`,
      {
        buttons: agents.map((agent): ButtonSpec[] => [
          { text: agent, action: { do: 'wizard', form: { ...form, agent }, page: 0 } },
        ]),
      },
    )
    return 'asked for the agent'
  }

  /**
   * Two agents in one directory disturb each other: a worktree is offered where one can be made.
   */
  async #askWorkspace(form: StartForm, to: Requester): Promise<string> {
    const at = (isApart: boolean): ButtonAction => ({ do: 'wizard', form: { ...form, isApart }, page: 0 })
    await this.#services.reply(to, `<b>${TITLES.new}</b> in ${escapeHtml(basename(form.project!))}\nWhere?`, {
      buttons: [
        [{ text: 'In the project itself', action: at(false) }],
        [{ text: 'In a new worktree, on a new branch', action: at(true) }],
      ],
    })
    return 'asked for the place'
  }

  async #askText(form: StartForm, to: Requester): Promise<string> {
    const { kind, project, agent } = form as StartForm & { kind: Exclude<StartForm['kind'], 'new'>; project: string }
    await this.#services.reply(
      to,
      `<b>${TITLES[kind]}</b> in ${escapeHtml(basename(project))}\n${QUESTIONS[kind]} Reply to this message.`,
      {
        about: questionSubject({ for: 'run', kind, project, nonce: newNonce(), ...(agent !== undefined && { agent }) }),
        forceReply: true,
      },
    )
    return 'asked for the task'
  }

  async #startSession(form: StartForm, to: Requester): Promise<string> {
    const { host } = this.#services
    if (to.isRetry)
      throw new SignalboxError('E_STATE', 'Signalbox was restarted; it is unknown whether the session was started.', {
        next: '/sessions lists the running ones.',
      })
    const record = await host.startSession({
      agent: form.agent ?? null,
      args: [],
      cwd: form.isApart ? await this.#worktree(form.project!) : form.project!,
      terminal: null,
      size: null,
      person: personName(to.person),
      // The directory of a worktree has a generated name: the label names the project.
      label: form.isApart ? basename(form.project!) : null,
      resume: null,
    })
    await this.#services.makeCurrent(to.chat, record.id)
    const lines = [
      `<b>${escapeHtml(sessionTitle(record))}</b>`,
      escapeHtml(await gitLine(record.cwd).catch(() => '')),
      'started; your messages go there.',
    ]
    await this.#services.reply(to, lines.filter(Boolean).join('\n'), { about: record.id })
    if (form.text !== undefined) await host.live(record.id)?.send(form.text, { whenBusy: 'hold' })
    return `started ${record.id}`
  }

  async #worktree(cwd: string): Promise<string> {
    const { dataDirectory } = this.#services.host.settings
    const { path, branch } = await createWorkspace(dataDirectory, { cwd, id: newId('run'), worktree: 'if-possible' })
    if (branch !== null) return path
    throw new SignalboxError('E_STATE', 'No worktree can be made here.', { next: 'Choose the project itself.' })
  }

  async #startRun(form: StartForm, to: Requester): Promise<string> {
    const { startOneshot, startPipeline } = this.#services.ports
    const { kind, text = '', project = '', agent } = form
    if (to.isRetry)
      throw new SignalboxError('E_STATE', 'Signalbox was restarted; it is unknown whether the run was started.', {
        next: '/runs lists them.',
      })
    const absent = new SignalboxError('E_STATE', `${TITLES[kind]} cannot be started from here.`, {
      next: 'Use the command line.',
    })
    let run: string
    if (kind === 'oneshot') {
      if (!startOneshot) throw absent
      run = await startOneshot({ task: text, project, ...(agent !== undefined && { agent }) })
    } else {
      if (!startPipeline) throw absent
      run = await startPipeline(kind === 'implement' ? 'implementation' : 'review', {
        input: { ...pipelineInput(kind, text), ...(agent !== undefined && { agent }) },
        project,
        person: personName(to.person),
      })
    }
    await this.#services.reply(to, `<b>${TITLES[kind]}</b> in ${escapeHtml(basename(project))} started.`, {
      about: run,
      buttons: [[{ text: 'Cancel', action: { do: 'run', run, act: 'cancel' }, style: 'danger' }]],
    })
    return `started ${run}`
  }
}

const TITLES = { new: 'New session', oneshot: 'Oneshot', implement: 'Implement', review: 'Review' } as const
const QUESTIONS = {
  oneshot: 'What is the task?',
  implement: 'What should be built?',
  review:
    'Which commits, for example main..HEAD? Any other answer reviews the uncommitted changes. Start with "fix" to fix the findings that you pick.',
} as const

/** An issue or a description; for a review a range, or the uncommitted changes. */
function pipelineInput(kind: StartForm['kind'], text: string): Record<string, string | boolean> {
  const input = text.trim()
  if (kind === 'review') {
    const [, fix, rest = ''] = /^(fix\b)?\s*([\s\S]*)$/i.exec(input) ?? []
    return { ...(fix !== undefined && { fix: true }), ...(/^\S+\.\.\S+$/.test(rest) && { range: rest }) }
  }
  if (/^(#?\d{1,9}|[A-Z][A-Z0-9]{1,20}-\d{1,9})$/.test(input)) return { issue: input }
  const [title = '', ...rest] = input.split('\n')
  return { title: title.slice(0, 200), ...(rest.length > 0 && { description: input }) }
}

async function hasCommit(project: string): Promise<boolean> {
  const git = new Git(project)
  return (await git.root().catch(() => null)) !== null && (await git.head().catch(() => null)) !== null
}

function repositoriesBelow(root: string): string[] {
  try {
    const real = realpathSync(root)
    const names = readdirSync(real).slice(0, ROOT_ENTRIES_MAX)
    return [real, ...names.map(name => join(real, name))].filter(path => existsSync(join(path, '.git')))
  } catch {
    return []
  }
}
