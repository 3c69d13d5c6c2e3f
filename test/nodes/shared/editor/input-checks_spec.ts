/** The validation of values that are typed into a dialog. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import catalogue from '../../../../nodes/account/locales/en-US/account.json';
import { isMimeType, isMimeTypePattern } from '../../../../nodes/shared/contract/values';
import {
  fieldsProblem,
  inputProblem,
  isOrderBy,
  isTimeZone,
  metadataProblem,
  pathPatternsProblem,
  patternProblem,
} from '../../../../nodes/shared/editor/input-checks';

describe('input-checks', () => {
  it('inputProblem finds invalid ids, missing values and invalid variable names', () => {
    for (const [kind, type, value, problem] of [
      ['folder', 'drive', '', 'nothing_chosen'],
      ['folder', 'drive', '1AbC', undefined],
      ['folder', 'str', '', undefined],
      ['folder', 'str', '  ', 'id_blank'],
      ['file', 'str', '', 'file_needed'],
      ['file', 'str', 'a/b', 'id_slash'],
      ['file', 'str', '/Backups/a.tar', undefined],
      ['file', 'str', 'https://drive.google.com/file/d/1AbC/view', undefined],
      ['folder', 'str', 'https://drive.google.com/drive/u/0/folders/1AbC', undefined],
      ['file', 'str', 'https://drive.google.com/drive/my-drive', 'drive_address'],
      ['file', 'str', 'https://example.com/d/1AbC', 'drive_address'],
      ['file', 'str', 'https://docs.google.com/document/d/e/2PACX-1vQ/pub', 'published_url'],
      ['file', 'str', 'https://docs.google.com/forms/d/e/1FAIpQL/viewform', 'published_url'],
      ['folder', 'str', 'https://docs.google.com/spreadsheets/d/e/2PACX-1vQ/pubhtml', 'published_url'],
      ['file', 'str', 'https://docs.google.com/document/u/0/d/1AbC/edit', undefined],
      ['name', 'str', '', 'name_needed'],
      ['path', 'str', '', 'path_needed'],
      ['path', 'str', 'a/b', undefined],
      ['path', 'str', '${MY_FILE}', undefined],
      ['path', 'str', '${MY FILE}', 'env_name'],
      ['path', 'str', '${}', 'env_name'],
      ['anything', 'env', '', 'env_name'],
      ['anything', 'env', 'A_1', undefined],
      ['anything', 'env', '1A', 'env_name'],
      ['anything', 'env', '${A}-${B}', undefined],
      ['anything', 'env', '${A}-${B C}', 'env_name'],
      ['file', 'msg', '', undefined],
    ] as const) {
      should(inputProblem(kind, type, value)).equal(problem, `${kind} ${type} ${value}`);
    }
  });

  it('patternProblem finds invalid regular expressions, and reversed ranges and open brackets in globs', () => {
    should(patternProblem('contains', '[(')).equal(undefined);
    should(patternProblem('regex', '^a+$')).equal(undefined);
    should(patternProblem('regex', '(')).eql(['regex', { reason: 'Unterminated group' }]);
    for (const glob of ['*.tar', '[a-z]?', '[]]', '[!]x]', 'a]b', '', '[]', 'a[[]b', '[\\w]', '[^a]']) {
      should(patternProblem('glob', glob)).equal(undefined, glob);
    }
    for (const pattern of ['[z-a]', 'x[!z-a]', '[a][z-a]']) {
      const params = { pattern, range: 'z-a' };
      should(patternProblem('glob', pattern)).eql(['glob_range', params]);
    }
    for (const pattern of ['[', 'a[b', '[a][b']) {
      should(patternProblem('glob', pattern)).eql(['glob_open', { pattern, char: '[' }]);
    }
    should(patternProblem('glob', '{a,b')).equal(undefined);
  });

  it('pathPatternsProblem finds the first invalid pattern of a list', () => {
    for (const lines of ['', '*.jpg\n\n raw/** ', '{a,b}/[[]x', 'a,b}', ' \n./a', '[\\]']) {
      should(pathPatternsProblem(lines)).equal(undefined, lines);
    }
    const many = '{0,1}'.repeat(10);
    for (const [lines, key, params] of [
      ['*.jpg\n *.{png,gif \n[', 'glob_open', { pattern: '*.{png,gif', char: '{' }],
      ['a[b/c]', 'glob_open', { pattern: 'a[b/c]', char: '[' }],
      ['*\n[z-a]', 'glob_range', { pattern: '[z-a]', range: 'z-a' }],
      [many, 'glob_alternatives', { pattern: many }],
      ['*\n cache\\*.tmp', 'glob_backslash', { pattern: 'cache\\*.tmp' }],
      ['a\n\n../a', 'glob_impossible', { pattern: '../a' }],
    ] as const) {
      should(pathPatternsProblem(lines)).eql([key, params]);
    }
  });

  it('validates field lists, sort orders, MIME types, time zones and metadata', () => {
    for (const fields of ['', 'id', 'id, name', 'id,owners(displayName),x/y', '*']) {
      should(fieldsProblem(fields)).equal(undefined, fields);
    }
    for (const fields of ['a)', '(', 'a(b', ')(']) should(fieldsProblem(fields)).equal('fields_parentheses');
    should(fieldsProblem('id;name')).equal('fields_shape');
    for (const order of ['', 'name', 'folder, modifiedTime desc,name'])
      isOrderBy(order).should.equal(true, order);
    for (const order of ['name asc', ',', 'a b c', 'name;id']) isOrderBy(order).should.equal(false, order);
    for (const type of ['', 'text/plain', 'text/plain; charset=utf-8', 'application/vnd.x+json']) {
      isMimeType(type).should.equal(true, type);
    }
    for (const type of ['text', 'text/', '/plain', 'a b/c']) isMimeType(type).should.equal(false, type);
    for (const type of ['', 'image/png', 'image/*', 'application/vnd.*', 'image*', '*'])
      isMimeTypePattern(type).should.equal(true, type);
    for (const type of ['image', 'a b/*', '*/png', 'image/**'])
      isMimeTypePattern(type).should.equal(false, type);
    for (const zone of ['', ' ', 'Europe/Berlin', 'UTC']) isTimeZone(zone).should.equal(true, zone);
    for (const zone of ['Berlin', 'Europe/Nowhere', '7']) isTimeZone(zone).should.equal(false, zone);
    for (const json of ['', '{}', '{"description":"x"}'])
      should(metadataProblem(json)).equal(undefined, json);
    for (const json of ['{', '[]', '5', 'null', '"x"']) should(metadataProblem(json)).equal('metadata', json);
    should(metadataProblem('{"name":"x"}')).equal('metadata_own');
  });

  it('has a text in the catalogue for each problem', () => {
    const source = readFileSync(
      path.join(__dirname, '../../../../nodes/shared/editor/input-checks.ts'),
      'utf8',
    );
    const unions = [...source.matchAll(/export type \w+Problem =([^;]+);/g)].map(([, union]) => union ?? '');
    const keys = unions.flatMap((union) => [...union.matchAll(/'(\w+)'/g)].map(([, key]) => key ?? ''));
    keys.length.should.be.above(10);
    for (const key of keys) catalogue.validation.should.have.property(key);
  });
});
