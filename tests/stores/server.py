"""A store on this machine: moto's server, with the fault proxy in front of it."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

import boto3
from botocore.config import Config

from faults import Proxy

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Store:
    """The server, in a separate process."""

    def __init__(self):
        self.port = free_port()
        program = os.path.join(os.path.dirname(sys.executable), "moto_server")
        self.process = subprocess.Popen(
            [program, "-H", "127.0.0.1", "-p", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.url = "http://127.0.0.1:%d" % self.port
        for _ in range(300):
            try:
                urllib.request.urlopen(self.url + "/moto-api/", timeout=1).read()
                break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("moto_server ended with %s" % self.process.returncode)
                time.sleep(0.1)
        else:
            raise SystemExit("moto_server does not answer")
        # The server does not check signatures, and clients check nothing that it sends.
        config = Config(request_checksum_calculation="when_required", response_checksum_validation="when_required")
        self.s3 = boto3.client(
            "s3", endpoint_url=self.url, aws_access_key_id="test", aws_secret_access_key="secret", region_name="us-east-1", config=config
        )
        self.proxy = Proxy(self.port)

    def stop(self):
        self.proxy.shutdown()
        self.proxy.server_close()
        self.process.terminate()
        self.process.wait()
