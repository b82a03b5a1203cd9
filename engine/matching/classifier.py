"""A light classifier for entries with many wordings: ridge regression onto the entries, in closed form.

Its leave-one-out predictions need no second fit (the hat matrix gives them: Cook & Weisberg, Residuals and Influence in
Regression, 1982), nor do its predictions for an entry's wordings as if that entry were not in the FAQ at all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.ports import Matrix

LEXICAL_DIMENSIONS = 1024
KERNEL_DIMENSIONS = 1536
_PENALTY = 0.2
_WIDTH = 1.68
"""Mean squared distance between wordings, in kernel widths: on CLINC150 twice as much is worse."""


class KernelFeatures:
    """Embeddings as features in which a linear model sees curved boundaries: random Fourier features of a Gaussian
    kernel.

    A. Rahimi, B. Recht: Random Features for Large-Scale Kernel Machines, 2007. The kernel's width follows from how far
    apart the base's own wordings lie, so that it suits any embedder.
    """

    def __init__(self, matrix: Matrix) -> None:
        chance = np.random.default_rng(0)
        centre = matrix.mean(axis=0)
        distance = max(2 * (1 - float(centre @ centre)), 1e-3)
        scale = np.sqrt(2 * _WIDTH / distance)
        self._frequencies = (chance.normal(size=(matrix.shape[1], KERNEL_DIMENSIONS)) * scale).astype(np.float32)
        self._phases = chance.uniform(0, 2 * np.pi, KERNEL_DIMENSIONS).astype(np.float32)

    def of(self, vectors: Matrix) -> Matrix:
        waves = np.cos(vectors @ self._frequencies + self._phases)
        return np.asarray(np.sqrt(2 / KERNEL_DIMENSIONS) * waves, dtype=np.float32)


class RidgeClassifier:
    """Fitted on rows of features; `owners` is the entry of each row, 0..entries-1."""

    def __init__(self, features: Matrix, owners: npt.NDArray[np.intp], entries: int) -> None:
        self._owners = owners
        targets = np.zeros((len(features), entries), dtype=np.float32)
        targets[np.arange(len(features)), owners] = 1
        covariance = features.T @ features + _PENALTY * np.eye(features.shape[1], dtype=np.float32)
        self._inverse: Matrix = np.asarray(np.linalg.inv(covariance), dtype=np.float32)
        self._weights: Matrix = self._inverse @ (features.T @ targets)

    def predict(self, features: Matrix) -> Matrix:
        """How much each row looks like each entry: about 1 for its own, about 0 for others."""
        return features @ self._weights

    def leave_one_out(self, features: Matrix, rows: npt.NDArray[np.intp]) -> Matrix:
        """Predictions for some of the fitted rows, each as if it had not been fitted."""
        chosen = features[rows]
        leverages = np.einsum("ij,jk,ik->i", chosen, self._inverse, chosen, optimize=True)[:, None]
        targets = np.zeros((len(rows), self._weights.shape[1]), dtype=np.float32)
        targets[np.arange(len(rows)), self._owners[rows]] = 1
        return np.asarray((chosen @ self._weights - leverages * targets) / (1 - leverages), dtype=np.float32)

    def entry_out(self, features: Matrix, entry: int) -> Matrix:
        """Predictions for all wordings of an entry as if the FAQ did not have it; its own column means nothing."""
        chosen = features[self._owners == entry]
        hat = chosen @ self._inverse @ chosen.T
        return np.asarray(np.linalg.solve(np.eye(len(chosen)) - hat, chosen @ self._weights), dtype=np.float32)
