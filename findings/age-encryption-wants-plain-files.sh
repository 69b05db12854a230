#!/usr/bin/env bash
# age-encryption 0.3.1 (npm) beside pyrage 1.4.0 (PyPI): an armored age file, and a secret key in small letters.
#
# Guess: one decrypts what the other does: the format has an armored form (PEM), and Bech32 takes small letters for
#   capitals, so a file that went through a mail and a key that was typed open in either.
# Seen: age-encryption decrypts binary files only; the armored one is an “invalid version”, unless armor.decode is called
#   before. It takes a key in capitals only, and none with a newline at its end, as the line of a key file has. pyrage
#   opens the armored file by itself and takes the small letters, but no newline either.
# Output: npm binary hello, armored fails, small fails, newline fails
#   · pyrage binary hello, armored hello, small hello, newline fails
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error age-encryption@0.3.1 >/dev/null
python3 -m venv "$folder/python"
python/bin/pip install --quiet --disable-pip-version-check 'pyrage==1.4.0'
cat >run.mjs <<'JS'
import { writeFileSync } from 'node:fs'
import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'

const key = await generateX25519Identity()
const encrypter = new Encrypter()
encrypter.addRecipient(await identityToRecipient(key))
const file = await encrypter.encrypt('hello')
const armored = armor.encode(file)
writeFileSync('key', key)
writeFileSync('binary', file)
writeFileSync('armored', armored)

async function opened(key, file) {
  try {
    const decrypter = new Decrypter()
    decrypter.addIdentity(key)
    return await decrypter.decrypt(file, 'text')
  } catch {
    return 'fails'
  }
}

const verdicts = {
  binary: await opened(key, file),
  armored: await opened(key, new TextEncoder().encode(armored)),
  small: await opened(key.toLowerCase(), file),
  newline: await opened(`${key}\n`, file),
}
console.log('npm', Object.entries(verdicts).map(([name, fate]) => `${name} ${fate}`).join(', '))
JS
cat >run.py <<'PY'
from pathlib import Path
import pyrage

key, binary, armored = Path('key').read_text(), Path('binary').read_bytes(), Path('armored').read_bytes()

def opened(key, file):
    try:
        return pyrage.decrypt(file, [pyrage.x25519.Identity.from_str(key)]).decode()
    except (pyrage.DecryptError, pyrage.IdentityError):
        return 'fails'

verdicts = {
    'binary': opened(key, binary),
    'armored': opened(key, armored),
    'small': opened(key.lower(), binary),
    'newline': opened(f'{key}\n', binary),
}
print('pyrage', ', '.join(f'{name} {fate}' for name, fate in verdicts.items()))
PY
seen="$(node run.mjs) · $(python/bin/python run.py)"
echo "$seen"
[ "$seen" = 'npm binary hello, armored fails, small fails, newline fails · pyrage binary hello, armored hello, small hello, newline fails' ]
