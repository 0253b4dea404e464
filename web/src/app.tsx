/*
 * The dashboard. It uses the HTTP API and nothing else of the program, except pure files that
 * scripts/house.json lists (`pageFiles`).
 *
 *   main.tsx, app.tsx  start; which page is shown (store/router.ts says which)
 *   pages/             one component for each page; shell/ is what surrounds them: navigation
 *                      (nav.ts), palette, banner, keys
 *   transport/         HTTP requests with their proof (request.ts), the event stream (stream.ts)
 *   store/             the state of the page: live.ts receives the stream, collection.ts holds
 *                      sessions, runs, approvals and panes, needs.ts derives what needs you,
 *                      actions.ts sends what people do, prefs.ts is kept in the browser
 *   api/               types of the API, formats of times and numbers
 *   approval/          cards and forms of requests
 *   session-page/      parts of the page of one session; session-list/: of the lists of sessions
 *   run/, pull/        parts of the page of a run, and of its pull request
 *   graphs/, replay/, settings/, start/  parts of the pages with these names
 *   blocks/, diff/, terminal/            text of agents, changes, terminals, on any page
 *   notify/            notifications and sounds of the browser
 *   ui/                small parts: dialogs, tables, icons, times, badges of status
 *   styles/            CSS by topic; main.tsx imports it in the order of the cascade
 *
 * From an event to a card: transport/stream.ts → store/live.ts (`route`) → store/collection.ts
 * (`foldApproval`) → store/needs.ts (`openApprovals`) → pages/overview.tsx → approval/card.tsx.
 * A press goes back: approval/card.tsx → store/actions.ts (`decide`) → transport/request.ts.
 *
 * To add a page: a component in pages/, its route in store/router.ts, its case below, and its
 * entry in `PAGES` of shell/nav.ts.
 */
import { LoginPage } from './pages/login'
import { OverviewPage } from './pages/overview'
import { SessionsPage } from './pages/sessions'
import { Banner } from './shell/banner'
import { BottomBar } from './shell/bottom-bar'
import { HelpDialog } from './shell/help'
import { Palette } from './shell/palette'
import { Sidebar } from './shell/sidebar'
import { Toasts } from './shell/toasts'
import { hasSnapshot, loadProblem } from './store/live'
import { type Route, route } from './store/router'
import { access } from './transport/request'
import { ConfirmDialog } from './ui/confirm'
import { lazy } from './ui/lazy'
import { Empty, ErrorBoundary, Problem, Skeleton } from './ui/panel'
import { StepUpDialog } from './ui/step-up'

const SessionPage = lazy(() => import('./pages/session').then(module => module.SessionPage))
const RunsPage = lazy(() => import('./pages/runs').then(module => module.RunsPage))
const RunPage = lazy(() => import('./pages/run').then(module => module.RunPage))
const ReplayPage = lazy(() => import('./pages/replay').then(module => module.ReplayPage))
const ComparePage = lazy(() => import('./pages/compare').then(module => module.ComparePage))
const CompareRunsPage = lazy(() => import('./pages/compare-runs').then(module => module.CompareRunsPage))
const WorkersPage = lazy(() => import('./pages/workers').then(module => module.WorkersPage))
const UsagePage = lazy(() => import('./pages/usage').then(module => module.UsagePage))
const GraphsPage = lazy(() => import('./pages/graphs').then(module => module.GraphsPage))
const StartPage = lazy(() => import('./pages/start').then(module => module.StartPage))
const SearchPage = lazy(() => import('./pages/search').then(module => module.SearchPage))
const SettingsPage = lazy(() => import('./pages/settings').then(module => module.SettingsPage))
const SharedPage = lazy(() => import('./pages/shared').then(module => module.SharedPage))
const RequestsPage = lazy(() => import('./pages/requests').then(module => module.RequestsPage))
const ApprovalPage = lazy(() => import('./pages/approval').then(module => module.ApprovalPage))

export function App() {
  if (route.value.page === 'shared')
    return (
      <ErrorBoundary>
        <SharedPage />
      </ErrorBoundary>
    )
  if (access.value === 'no' || route.value.page === 'login')
    return (
      <>
        <LoginPage />
        <Toasts />
      </>
    )
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <div class="shell">
        <Sidebar />
        <div class="main">
          <Banner />
          <main id="main" tabIndex={-1}>
            <ErrorBoundary key={keyOf(route.value)}>
              {hasSnapshot.value ? pageOf(route.value) : <Loading />}
            </ErrorBoundary>
          </main>
        </div>
      </div>
      <BottomBar />
      <Toasts />
      <HelpDialog />
      <Palette />
      <StepUpDialog />
      <ConfirmDialog />
    </>
  )
}

function Loading() {
  return (
    <div class="page">
      <h1 class="sr">Signalbox</h1>
      {loadProblem.value ? <Problem error={loadProblem.value} /> : <Skeleton lines={4} />}
    </div>
  )
}

function keyOf(here: Route): string {
  return 'id' in here ? `${here.page}/${here.id}` : here.page
}

function pageOf(here: Route) {
  switch (here.page) {
    case 'overview':
      return <OverviewPage />
    case 'sessions':
      return <SessionsPage wanted={here.view} />
    case 'session':
      return <SessionPage id={here.id} />
    case 'approval':
      return <ApprovalPage id={here.id} />
    case 'requests':
      return <RequestsPage />
    case 'runs':
      return <RunsPage />
    case 'run':
      return <RunPage id={here.id} />
    case 'replay':
      return <ReplayPage id={here.id} />
    case 'compare':
      return <ComparePage />
    case 'compare-runs':
      return <CompareRunsPage />
    case 'workers':
      return <WorkersPage />
    case 'usage':
      return <UsagePage />
    case 'graphs':
      return <GraphsPage />
    case 'search':
      return <SearchPage />
    case 'start':
      return <StartPage />
    case 'settings':
      return <SettingsPage tab={here.tab} />
    default:
      return (
        <div class="page">
          <div class="page-head">
            <h1>Page not found</h1>
          </div>
          <Empty title="No page has this address">
            <a class="btn" href="/">
              Go to Needs you
            </a>
          </Empty>
        </div>
      )
  }
}

function focusMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
