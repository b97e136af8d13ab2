/* Bundles the player: `node assets/player/build.js` writes dist; with --check it fails where dist is not what src
   gives. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
const checking = process.argv.includes('--check');
const { outputFiles } = await build({
  entryPoints: ['page', 'standalone'].map((name) => join(HERE, 'src', `${name}.js`)),
  minify: true,
  outdir: join(HERE, 'dist'),
  absWorkingDir: HERE,
  bundle: true,
  format: 'iife',
  globalName: 'specviz',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
});
for (const { path, text } of outputFiles) {
  if (checking) {
    const committed = await readFile(path, 'utf8').catch(() => '');
    if (committed === text) continue;
    console.error(`dist/${basename(path)} is not what src gives: run npm run build, and commit it.`);
    process.exitCode = 1;
  } else {
    await mkdir(join(HERE, 'dist'), { recursive: true });
    await writeFile(path, text);
  }
}
