import { z } from 'zod'
import { moment, position, role } from './common.js'

export const project = z
  .object({
    id: z.string(),
    path: z.string(),
    name: z.string(),
    sessions: z.int(),
    liveSessions: z.int(),
    runs: z.int(),
    openRuns: z.int(),
    isTrusted: z.boolean(),
    updatedAt: moment.nullable(),
  })
  .meta({ id: 'Project' })

export const projectList = z.object({ items: z.array(project), position })

export const directoryList = z.object({
  home: z.string(),
  items: z.array(z.object({ path: z.string(), isRepository: z.boolean() })),
})

export const projectTrust = z.object({
  project: z.string(),
  hash: z.string().describe('of everything that would run; a request that trusts the project names it'),
  isTrusted: z.boolean(),
  files: z.record(z.string(), z.string()),
  added: z.array(z.string()),
  changed: z.array(z.string()),
  differences: z.record(z.string(), z.string()),
  trustedAt: moment.nullable(),
  by: z.string().nullable(),
})

export const peopleList = z.object({
  items: z.array(z.object({ id: z.string(), name: z.string(), role, surfaces: z.array(z.string()) })),
})
