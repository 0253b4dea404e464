import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { newId, newNonce } from '../clock/index.js'
import { listRuns } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import { createWorkspace } from '../runs/index.js'
import { type Asker, type Desk, needRole, personName } from './desk.js'
import { askSubject, sessionTitle } from './names.js'
import type { KeyWish, Press, Wish } from './press.js'
import { escapeHtml } from './split.js'

const PROJECTS_A_PAGE = 8
const ROOT_ENTRIES_MAX = 500

/** Starts sessions and runs, asking for what is missing. What was chosen so far is with the buttons, in the store. */
export class Starter {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** The next question, or the start. */
  async next(wish: Wish, page: number, to: Asker): Promise<string> {
    needRole(to.person, 'approver')
    if (wish.project === undefined) return this.#askProject(wish, page, to)
    if (wish.agent === undefined) {
      const { agents } = this.#desk.doors
      if (agents.length !== 1) return this.#askAgent(wish, to)
      return this.next({ ...wish, agent: agents[0]! }, 0, to)
    }
    if (wish.kind === 'new') {
      if (wish.isApart === undefined && (await hasCommit(wish.project))) return this.#askPlace(wish, to)
      return this.#startSession(wish, to)
    }
    if (wish.text === undefined) return this.#askText(wish, to)
    return this.#startRun(wish, to)
  }

  /** `/new demo shop`: words in any order; a name of an agent, and the name or path of a known project. */
  async read(kind: Wish['kind'], rest: string): Promise<Wish> {
    const projects = await this.projects()
    const words = rest.split(/\s+/).filter(Boolean)
    const wish: Wish = { kind }
    while (words.length > 0) {
      const [word = ''] = words
      const project = projects.find(path => path === word || basename(path) === word)
      if (wish.agent === undefined && this.#desk.doors.agents.includes(word)) wish.agent = word
      else if (wish.project === undefined && project !== undefined) wish.project = project
      else break
      words.shift()
    }
    if (words.length > 0) {
      if (kind === 'new' && wish.project === undefined)
        throw new SignalboxError('E_INPUT', `There is no agent or project "${words[0]}" here.`, {
          next: '/new alone lets you choose.',
        })
      wish.text = words.join(' ')
    }
    return wish
  }

  /** Directories that have been worked in, newest first, and repositories below the configured roots. */
  async projects(): Promise<string[]> {
    const { host, doors } = this.#desk
    const used = [
      ...(await host.records()).map(({ project, startedAt }) => ({ path: project, at: startedAt })),
      ...(await listRuns(host.store)).map(({ project, updatedAt }) => ({ path: project, at: updatedAt })),
    ].sort((a, b) => b.at - a.at)
    const below = doors.roots.flatMap(repositoriesBelow)
    return [...new Set([...used.map(({ path }) => path), ...below])].filter(path => existsSync(path))
  }

  async #askProject(wish: Wish, page: number, to: Asker): Promise<string> {
    const projects = await this.projects()
    if (projects.length === 0)
      throw new SignalboxError('E_STATE', 'No project is known here yet.', {
        next: 'Set projects.roots, or start a session at the terminal once.',
      })
    const pages = Math.ceil(projects.length / PROJECTS_A_PAGE)
    const shown = projects.slice(page * PROJECTS_A_PAGE, (page + 1) * PROJECTS_A_PAGE)
    const turn = (text: string, number: number): KeyWish[] =>
      number >= 0 && number < pages ? [{ text, press: { do: 'wizard', wish, page: number } }] : []
    await this.#desk.say(to, `<b>${TITLES[wish.kind]}</b>\nWhich project?`, {
      keys: [
        ...shown.map((path): KeyWish[] => [
          { text: basename(path) || path, press: { do: 'wizard', wish: { ...wish, project: path }, page: 0 } },
        ]),
        ...(pages > 1 ? [[...turn('◀', page - 1), ...turn(`${page + 1}/${pages} ▶`, page + 1)]] : []),
      ],
    })
    return 'asked for the project'
  }

  async #askAgent(wish: Wish, to: Asker): Promise<string> {
    const { agents } = this.#desk.doors
    if (agents.length === 0)
      throw new SignalboxError('E_AGENT_MISSING', 'No agent is installed on this machine.', {
        next: 'signalbox doctor says what is missing.',
      })
    await this.#desk.say(to, `<b>${TITLES[wish.kind]}</b> in ${escapeHtml(basename(wish.project!))}\nWhich agent?`, {
      keys: agents.map((agent): KeyWish[] => [
        { text: agent, press: { do: 'wizard', wish: { ...wish, agent }, page: 0 } },
      ]),
    })
    return 'asked for the agent'
  }

  /** Two agents in one directory step on each other's feet: a worktree is offered where there can be one. */
  async #askPlace(wish: Wish, to: Asker): Promise<string> {
    const at = (isApart: boolean): Press => ({ do: 'wizard', wish: { ...wish, isApart }, page: 0 })
    await this.#desk.say(to, `<b>${TITLES.new}</b> in ${escapeHtml(basename(wish.project!))}\nWhere?`, {
      keys: [
        [{ text: 'In the project itself', press: at(false) }],
        [{ text: 'In a worktree, on a branch of its own', press: at(true) }],
      ],
    })
    return 'asked for the place'
  }

  async #askText(wish: Wish, to: Asker): Promise<string> {
    const { kind, project, agent } = wish as Wish & { kind: Exclude<Wish['kind'], 'new'>; project: string }
    await this.#desk.say(
      to,
      `<b>${TITLES[kind]}</b> in ${escapeHtml(basename(project))}\n${QUESTIONS[kind]} Reply to this message.`,
      {
        about: askSubject({ for: 'run', kind, project, nonce: newNonce(), ...(agent !== undefined && { agent }) }),
        forceReply: true,
      },
    )
    return 'asked for the task'
  }

  async #startSession(wish: Wish, to: Asker): Promise<string> {
    const { host } = this.#desk
    if (to.isAgain)
      throw new SignalboxError('E_STATE', 'Signalbox was restarted: nobody saw whether the session was started.', {
        next: '/sessions lists what runs.',
      })
    const record = await host.startSession({
      agent: wish.agent ?? null,
      args: [],
      cwd: wish.isApart ? await this.#worktree(wish.project!) : wish.project!,
      terminal: null,
      size: null,
      person: personName(to.person),
      // A worktree has a name of its own; people know it by the project's.
      label: wish.isApart ? basename(wish.project!) : null,
      resume: null,
    })
    await this.#desk.makeCurrent(to.chat, record.id)
    await this.#desk.say(to, `<b>${escapeHtml(sessionTitle(record))}</b>\nstarted; what you write goes there.`, {
      about: record.id,
    })
    if (wish.text !== undefined) await host.live(record.id)?.send(wish.text, { whenBusy: 'hold' })
    return `started ${record.id}`
  }

  async #worktree(cwd: string): Promise<string> {
    const { dataDirectory } = this.#desk.host.settings
    const { path, branch } = await createWorkspace(dataDirectory, { cwd, id: newId('run'), isWanted: true })
    if (branch !== null) return path
    throw new SignalboxError('E_STATE', 'No worktree could be made here.', { next: 'Choose the project itself.' })
  }

  async #startRun(wish: Wish, to: Asker): Promise<string> {
    const { startOneshot, startPipeline } = this.#desk.doors
    const { kind, text = '', project = '', agent } = wish
    if (to.isAgain)
      throw new SignalboxError('E_STATE', 'Signalbox was restarted: nobody saw whether the run was started.', {
        next: '/runs lists what runs.',
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
    await this.#desk.say(to, `<b>${TITLES[kind]}</b> in ${escapeHtml(basename(project))} started.`, {
      about: run,
      keys: [[{ text: 'Cancel', press: { do: 'run', run, act: 'cancel' }, style: 'danger' }]],
    })
    return `started ${run}`
  }
}

const TITLES = { new: 'New session', oneshot: 'Oneshot', implement: 'Implement', review: 'Review' } as const
const QUESTIONS = {
  oneshot: 'What is to be done?',
  implement: 'What is to be built?',
  review:
    'Which commits, such as main..HEAD? Any other answer: what is not committed yet. Begin with "fix" to have what you pick fixed.',
} as const

/** An issue of the tracker, else what is to be built in words; a range of commits, else what is not committed. */
function pipelineInput(kind: Wish['kind'], text: string): Record<string, string | boolean> {
  const said = text.trim()
  if (kind === 'review') {
    const [, fix, rest = ''] = /^(fix\b)?\s*([\s\S]*)$/i.exec(said) ?? []
    return { ...(fix !== undefined && { fix: true }), ...(/^\S+\.\.\S+$/.test(rest) && { range: rest }) }
  }
  if (/^(#?\d{1,9}|[A-Z][A-Z0-9]{1,20}-\d{1,9})$/.test(said)) return { issue: said }
  const [title = '', ...rest] = said.split('\n')
  return { title: title.slice(0, 200), ...(rest.length > 0 && { description: said }) }
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
