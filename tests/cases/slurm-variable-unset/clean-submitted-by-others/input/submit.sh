sbatch "$@" job.sh
