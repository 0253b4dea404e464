import { render } from 'preact'
import { App } from './app'
import { startNotifying } from './notify/browser-notifications'
import { startAnswering } from './notify/pressed-answer'
import { startAnnouncing } from './shell/announce'
import { startKeyboard } from './shell/keyboard'
import { cacheShell } from './shell/offline-shell'
import { startLiveData } from './store/live'
import { startPresence } from './store/presence'
import { openDevice } from './transport/request'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/controls.css'
import './styles/parts.css'
import './styles/approval.css'
import './styles/blocks.css'
import './styles/diff.css'
import './styles/changes.css'
import './styles/terminal.css'
import './styles/pages.css'
import './styles/session-page.css'
import './styles/session-wall.css'
import './styles/files.css'
import './styles/run-graph.css'
import './styles/run-details.css'
import './styles/run-result.css'
import './styles/replay.css'
import './styles/graph-editor.css'
import './styles/settings.css'
import './styles/shared.css'
import './styles/agent-stats.css'
import './styles/compare.css'
import './styles/sessions.css'

startKeyboard()
startAnnouncing()
startPresence()
startNotifying()
startAnswering()
cacheShell()
render(<App />, document.getElementById('app')!)
const isLink = location.pathname === '/login' && location.hash.length > 1
// A shared session is read with the link alone, also in a browser that is signed in.
const isShared = location.pathname === '/share'
if (!isLink && !isShared) void openDevice().then(isSignedIn => (isSignedIn ? startLiveData() : undefined))
