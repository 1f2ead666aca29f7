;; A first bot: keep away from zombies, shoot the one that comes too near.
(ns my-bot
  (:import (zombie Move Player PlayerRegistry Shoot)))

(defn zombies [context]
  (for [dx (range -8 9)
        dy (range -8 9)
        :let [who (.lookAround context dx dy)]
        :when (and who (= "Zombie" (.getName who)))]
    [(max (Math/abs dx) (Math/abs dy)) dx dy who]))

;; One object serves all 50 of your players; doTurn is called for each of them, every turn.
(PlayerRegistry/registerPlayer "MyBot"
  (reify Player
    (doTurn [this context]
      (if-let [[distance dx dy nearest] (first (sort-by first (zombies context)))]
        (if (and (<= distance 2) (pos? (.getBullets context)))
          (Shoot. nearest)
          (Move/inDirection (- dx) (- dy)))
        Move/STAY))))
