"""Ranks queries with Xapian: BM25 over English stems, title and text in one document, any of the words.

Arguments: a file of `id<TAB>title<TAB>text` lines and a file of query lines. Prints the ids of each query's results."""

import sys

import xapian

database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
stemmer = xapian.Stem("english")
generator = xapian.TermGenerator()
generator.set_stemmer(stemmer)
for line in open(sys.argv[1], encoding="utf-8"):
    identifier, title, text = line.rstrip("\n").split("\t")
    document = xapian.Document()
    document.set_data(identifier)
    generator.set_document(document)
    generator.index_text(title)
    generator.increase_termpos()
    generator.index_text(text)
    database.add_document(document)
parser = xapian.QueryParser()
parser.set_stemmer(stemmer)
parser.set_stemming_strategy(xapian.QueryParser.STEM_SOME)
parser.set_default_op(xapian.Query.OP_OR)
enquire = xapian.Enquire(database)
for line in open(sys.argv[2], encoding="utf-8"):
    enquire.set_query(parser.parse_query(line.rstrip("\n"), 0))
    print(" ".join(match.document.get_data().decode() for match in enquire.get_mset(0, 60)))
