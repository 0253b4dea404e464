import { createHash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { isEnded, listRuns, runStream } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { People } from '../../people/index.js'
import { type ExecutableFiles, executableFiles, executableText } from '../../trust/index.js'
import type { InMilliseconds, Project } from '../api-types.js'
import { OWNER } from '../caller.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { peopleList, projectList, projectTrust } from '../schemas/projects.js'

const ROOT_ENTRIES_MAX = 500

export const projectRoutes: readonly Route[] = [
  route({
    id: 'projects.list',
    method: 'GET',
    path: '/projects',
    summary: 'Directories with sessions, runs or a trust record, and those below the configured roots.',
    access: 'viewer',
    answers: { 200: answer('newest first', projectList) },
    handle: async call => call.json({ items: await projectsOf(call), position: await call.position() }),
  }),
  route({
    id: 'projects.trust',
    method: 'GET',
    path: '/projects/:id/trust',
    summary: 'What a project may run, and what has changed since it was trusted.',
    access: 'owner',
    answers: { 200: answer('the record', projectTrust) },
    handle: async call => call.json(await trustOf(call)),
  }),
  route({
    id: 'projects.set-trust',
    method: 'POST',
    path: '/projects/:id/trust',
    summary: 'Trusts what was shown of a project, named by its hash.',
    access: 'owner',
    needsStepUp: true,
    body: z.strictObject({ hash: z.string().min(16).max(64) }),
    answers: { 200: answer('the record', projectTrust) },
    handle: async call => {
      const found = await executableOf(call, (await projectOf(call)).path)
      await call.parts.trust.require(found, { trust: call.body.hash, by: call.person.name })
      return call.json(await trustOf(call))
    },
  }),
  route({
    id: 'people.list',
    method: 'GET',
    path: '/people',
    summary: 'People and their roles; they can be changed only at the terminal.',
    access: 'owner',
    answers: { 200: answer('people', peopleList) },
    handle: async ({ parts, json }) => {
      const paired = new People(parts.home().directories.config).all()
      const people = new Map(
        paired.map(({ id, name, role, telegram }) => [
          id,
          { id, name, role, surfaces: telegram.length > 0 ? ['telegram'] : [] },
        ]),
      )
      // The owner of a login link has no name; a single owner with a chat is that person.
      const owners = paired.filter(({ role }) => role === 'owner')
      for (const { person } of parts.auth.devices.list()) {
        const id = person.id === OWNER.id && owners.length === 1 ? owners[0]!.id : person.id
        const found = people.get(id) ?? { ...person, surfaces: [] }
        if (!found.surfaces.includes('web')) found.surfaces.push('web')
        people.set(id, found)
      }
      return json({ items: [...people.values()] })
    },
  }),
]

type ProjectView = InMilliseconds<Project>

async function projectsOf({ host, parts }: Pick<Call, 'host' | 'parts'>): Promise<ProjectView[]> {
  const found = new Map<string, ProjectView>()
  const at = (path: string): ProjectView => {
    const known = found.get(path)
    if (known) return known
    const made: ProjectView = {
      id: idOf(path),
      path,
      name: basename(path) || path,
      sessions: 0,
      liveSessions: 0,
      runs: 0,
      openRuns: 0,
      isTrusted: false,
      updatedAt: null,
    }
    found.set(path, made)
    return made
  }
  for (const { project: path, state, startedAt, endedAt } of await host.records()) {
    const view = at(path)
    view.sessions++
    if (state === 'live' || state === 'starting') view.liveSessions++
    view.updatedAt = Math.max(view.updatedAt ?? 0, endedAt ?? startedAt)
  }
  for (const { project: path, status, updatedAt } of await listRuns(host.store)) {
    const view = at(path)
    view.runs++
    if (!isEnded(status)) view.openRuns++
    view.updatedAt = Math.max(view.updatedAt ?? 0, updatedAt)
  }
  for (const record of await parts.trust.list()) at(record.path).isTrusted = true
  for (const root of parts.home().loaded.config.projects.roots) for (const path of repositoriesBelow(root)) at(path)
  return [...found.values()].sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0) || (a.path < b.path ? -1 : 1))
}

function repositoriesBelow(root: string): string[] {
  try {
    const real = realpathSync(root)
    return [
      real,
      ...readdirSync(real)
        .slice(0, ROOT_ENTRIES_MAX)
        .map(name => join(real, name)),
    ].filter(path => existsSync(join(path, '.git')))
  } catch {
    return []
  }
}

function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

async function projectOf(call: Pick<Call, 'host' | 'parts' | 'params'>): Promise<ProjectView> {
  const found = (await projectsOf(call)).find(({ id }) => id === call.params.id)
  if (found) return found
  throw new SignalboxError('E_UNKNOWN', `unknown project "${call.params.id}"`, { next: 'GET /projects lists them' })
}

/**
 * What a project would run: its settings, the graphs that ran there, and the files that these name.
 */
async function executableOf({ host }: Pick<Call, 'host'>, path: string): Promise<ExecutableFiles> {
  const graphs = new Set<string>()
  for (const run of await listRuns(host.store)) {
    if (run.kind !== 'graph' || run.project !== path) continue
    const created = (await host.store.readStream(runStream(run.id), { limit: 1 }))[0]
    const file = (created?.data.input as { file?: string | null } | undefined)?.file
    if (file && existsSync(file)) graphs.add(file)
  }
  const [first, ...others] = graphs
  return first === undefined ? executableText('digraph none {}', path) : executableFiles(first, others)
}

async function trustOf(call: Pick<Call, 'host' | 'parts' | 'params'>) {
  const { path } = await projectOf(call)
  const found = await executableOf(call, path)
  const { isTrusted, added, changed } = await call.parts.trust.check(found)
  const record = (await call.parts.trust.list()).find(candidate => candidate.path === found.project)
  const differences: Record<string, string> = {}
  for (const file of changed) {
    const difference = await call.parts.trust.difference(found, file)
    if (difference !== null) differences[file] = call.host.redactor.redact(difference)
  }
  return {
    project: found.project,
    hash: found.hash,
    isTrusted,
    files: { ...record?.files, ...found.files },
    added,
    changed,
    differences,
    trustedAt: record?.at ?? null,
    by: record?.by ?? null,
  }
}
