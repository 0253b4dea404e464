import type { Route } from '../route.js'
import { approvalRoutes } from './approvals.js'
import { authRoutes } from './auth.js'
import { daemonRoutes } from './daemon.js'
import { eventRoutes } from './events.js'
import { grantRoutes } from './grants.js'
import { hookRoutes } from './hooks.js'
import { overviewRoutes } from './overview.js'
import { paneRoutes } from './panes.js'
import { paneStreamRoutes } from './panes-stream.js'
import { sessionFileRoutes } from './session-files.js'
import { sessionMessageRoutes } from './session-messages.js'
import { sessionRoutes } from './sessions.js'

/** Every operation there is. What is not in this list is not served. */
export const ROUTES: readonly Route[] = [
  ...daemonRoutes,
  ...authRoutes,
  ...overviewRoutes,
  ...sessionRoutes,
  ...sessionMessageRoutes,
  ...sessionFileRoutes,
  ...approvalRoutes,
  ...grantRoutes,
  ...paneStreamRoutes,
  ...paneRoutes,
  ...eventRoutes,
  ...hookRoutes,
]
