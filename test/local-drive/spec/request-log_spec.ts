/** The log of received requests. */
import 'should';
import { useDrive } from './drive-fixture';

describe('local drive: the request log', () => {
  const service = useDrive();

  it('the request log records requests as received', async () => {
    const { requests } = service.drive;
    await service.call('POST', '/drive/v3/files?fields=id', { json: { name: 'ä' } });
    await service.call('GET', "/drive/v3/files?q=name+contains+'a'");
    const [post] = requests.to('POST', '/files');
    (post as object).should.have.properties({
      path: '/drive/v3/files',
      query: 'fields=id',
      status: 200,
      bytes: 13,
    });
    String(post?.body).should.equal('{"name":"ä"}');
    String(requests.last?.url).should.equal('/drive/v3/files?q=name+contains+%27a%27');
    String(requests.last?.params.get('q')).should.equal("name contains 'a'");
    requests.to('', /^\/drive/).should.have.length(2);
    requests.clear();
    requests.all.should.have.length(0);
  });
});
