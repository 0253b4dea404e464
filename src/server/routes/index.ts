/*
 * Every operation of the API, by topic. One list, from which the app, the OpenAPI document, the
 * reference page and the contract tests are made. To add an operation: an entry in a file of this
 * folder; a new file joins `ROUTES`.
 */

import { z } from 'zod'
import { openApi } from '../openapi.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { activeSessionRoutes } from './active-session.js'
import { agentRoutes } from './agents.js'
import { approvalRoutes } from './approvals.js'
import { attractorRoutes } from './attractor.js'
import { authRoutes } from './auth.js'
import { daemonRoutes } from './daemon.js'
import { directoryRoutes } from './directories.js'
import { engineRoutes } from './engine.js'
import { eventRoutes } from './events.js'
import { grantRoutes } from './grants.js'
import { graphRoutes } from './graphs.js'
import { hookRoutes } from './hooks.js'
import { mcpRoutes } from './mcp.js'
import { overviewRoutes } from './overview.js'
import { paneConversationRoutes } from './pane-conversation.js'
import { paneRoutes } from './panes.js'
import { paneFrameRoutes } from './panes-frame.js'
import { paneStreamRoutes } from './panes-stream.js'
import { pipelineRoutes } from './pipelines.js'
import { projectRoutes } from './projects.js'
import { pushRoutes } from './push.js'
import { recordingRoutes } from './recordings.js'
import { runDetailRoutes } from './run-details.js'
import { runGraphRoutes } from './run-graph.js'
import { runPullRoutes } from './run-pull.js'
import { runStartRoutes } from './run-start.js'
import { runRoutes } from './runs.js'
import { scheduleRoutes } from './schedules.js'
import { searchRoutes } from './search.js'
import { sessionFileRoutes } from './session-files.js'
import { sessionGitRoutes } from './session-git.js'
import { sessionMessageRoutes } from './session-messages.js'
import { sessionRoutes } from './sessions.js'
import { shareRoutes } from './shares.js'
import { systemRoutes } from './system.js'
import { usageRoutes } from './usage.js'
import { workerRoutes } from './workers.js'

/** Generated once, because it takes long and never changes while the program runs. */
let document: ReturnType<typeof openApi> | null = null

const documentRoute: Route = route({
  id: 'openapi.get',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This document.',
  access: 'viewer',
  answers: { 200: answer('OpenAPI 3.1', z.looseObject({ openapi: z.string() })) },
  handle: ({ parts, json }) => {
    document ??= openApi(ROUTES, parts.version)
    return json(document)
  },
})

/** Every operation of the API. */
export const ROUTES: readonly Route[] = [
  documentRoute,
  ...daemonRoutes,
  ...authRoutes,
  ...overviewRoutes,
  ...sessionRoutes,
  ...sessionMessageRoutes,
  ...activeSessionRoutes,
  ...shareRoutes,
  ...sessionFileRoutes,
  ...sessionGitRoutes,
  ...agentRoutes,
  ...approvalRoutes,
  ...grantRoutes,
  ...paneStreamRoutes,
  ...paneRoutes,
  ...paneFrameRoutes,
  ...paneConversationRoutes,
  ...eventRoutes,
  ...runStartRoutes,
  ...runRoutes,
  ...scheduleRoutes,
  ...runDetailRoutes,
  ...runGraphRoutes,
  ...runPullRoutes,
  ...graphRoutes,
  ...pipelineRoutes,
  ...pushRoutes,
  ...recordingRoutes,
  ...searchRoutes,
  ...usageRoutes,
  ...projectRoutes,
  ...directoryRoutes,
  ...systemRoutes,
  ...workerRoutes,
  ...mcpRoutes,
  ...engineRoutes,
  ...attractorRoutes,
  ...hookRoutes,
]
