"""Pages by alternating least squares (`implicit`), for bench/for-you.ts.

Reads liker, post and reader numbers (int32) and freshness of posts (uint8) from files of a folder; writes
pages.json (two pages a reader: of all posts, and of fresh ones) and figures.json.
"""
import json, resource, sys, time
import numpy as np
from scipy.sparse import csr_matrix
from implicit.als import AlternatingLeastSquares

folder = sys.argv[1]
factors = int(sys.argv[2])
read = lambda name, kind: np.fromfile(f"{folder}/{name}", dtype=kind)
liker, post, readers = (read(n, np.int32) for n in ("liker", "post", "readers"))
fresh = read("fresh", np.uint8)
shape = (int(max(liker.max(), readers.max())) + 1, len(fresh))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.process_time()
likes = csr_matrix((np.ones(len(liker), dtype=np.float32), (liker, post)), shape=shape)
likes.sum_duplicates()
likes.data[:] = 1
model = AlternatingLeastSquares(factors=factors, iterations=15, random_state=1, alpha=float(sys.argv[3]),
                                regularization=float(sys.argv[4]))
model.fit(likes, show_progress=False)
trained = time.process_time() - started

def pages(items=None):
    ids, _ = model.recommend(readers, likes[readers], N=50, filter_already_liked_items=True, items=items)
    return ids.tolist()

alone = pages()
recent = pages(np.nonzero(fresh)[0].astype(np.int32))
size = lambda m: m.data.nbytes + m.indices.nbytes + m.indptr.nbytes
held = 2 * size(likes) + model.user_factors.nbytes + model.item_factors.nbytes
json.dump({"all": alone, "fresh": recent}, open(f"{folder}/pages.json", "w"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
json.dump({"seconds": trained, "bytes": int(held), "peakBytes": peak * 1024}, open(f"{folder}/figures.json", "w"))
