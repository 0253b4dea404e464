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
